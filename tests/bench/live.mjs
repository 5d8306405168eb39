// SPDX-License-Identifier: MIT
// Live pages of `mha-viz report --live` in chromium: how long until something can be typed, and until
// a sentence of some 20 tokens is answered: computed by the worker, and drawn.
//     live.mjs HTML[=READY_MS,ANSWER_MS]...        (tests/bench/run)
// With goals, of which the second is for what is computed, medians above them end it with 1.
import { createRequire } from 'node:module';
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';

const { chromium } = createRequire(join(process.env.MODULES, 'x.js'))('playwright-core');
const RUNS = 3,
  TEXTS = 30;
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const launch = () =>
  chromium.launch({
    executablePath: process.env.BROWSER,
    chromiumSandbox: false,
    args: ['--disable-gpu', '--no-first-run', '--disable-background-networking'],
  });

/* Of a fresh browser: from the address until the fields can be used. */
async function opened(path) {
  const browser = await launch(),
    page = await browser.newPage();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`file://${path}`, { waitUntil: 'commit', timeout: 120000 });
  await page.waitForFunction(
    () => window.mhaViz?.timing.live || document.querySelector('.live .why'),
    null,
    { timeout: 120000 },
  );
  const why = await page.evaluate(() => document.querySelector('.live .why')?.textContent);
  if (why) throw new Error(`${path}: ${why}`);
  return { browser, page, ...(await page.evaluate(() => mhaViz.timing)) };
}

async function answers(page) {
  const computed = [],
    answered = [];
  for (let i = 0; i < TEXTS; i++) {
    const end = ['park', 'yard', 'house'][i % 3];
    await page
      .locator('.live textarea[name=text]')
      .fill(`The old man saw the dog and the cat sleep under the tall tree in the ${end}.`);
    await page.waitForFunction(() => !mhaViz.live.busy);
    const t = await page.evaluate(() => mhaViz.timing);
    computed.push(t.computed);
    answered.push(t.answered);
  }
  const tokens = await page.evaluate(() => mhaViz.text.nq);
  return { tokens, computed: median(computed), answered: median(answered) };
}

let good = true;
for (const argument of process.argv.slice(2)) {
  const [path, goals] = argument.split('='),
    ready = [];
  let one = null;
  for (let i = 0; i < RUNS; i++) {
    await one?.browser.close();
    one = await opened(path);
    ready.push(one.live);
  }
  const { tokens, computed, answered } = await answers(one.page);
  await one.browser.close();
  console.log(
    `${basename(path)}, ${(statSync(path).size / 1e6).toFixed(1)} MB: typed into after ${median(ready).toFixed(0)} ms; ` +
      `${tokens} tokens: computed in ${computed.toFixed(1)} ms, on the page after ${answered.toFixed(1)} ms`,
  );
  const [mostReady, mostAnswer] = (goals ?? 'Infinity,Infinity').split(',').map(Number);
  good &&= median(ready) <= mostReady && computed <= mostAnswer;
}
process.exit(good ? 0 : 1);
