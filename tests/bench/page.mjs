// SPDX-License-Identifier: MIT
// Pages of `mha-viz report` in chromium: when the first picture stands, when all weights are unpacked,
// and how long a token that is pointed at takes until its links are drawn.
//     page.mjs HTML...        (tests/bench/run)
// The goals of 144x512.html: a picture in under 2 seconds, a hover within 50 ms, 100 at most.
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { tmpdir } from 'node:os';

const { chromium } = createRequire(join(process.env.MODULES, 'x.js'))('playwright-core');
const profile = mkdtempSync(join(tmpdir(), 'bench-'));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.BROWSER,
  headless: true,
  chromiumSandbox: false,
  args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
});
context.setDefaultTimeout(120000);
const RUNS = 3,
  HOVERS = 60;
const sorted = (list) => list.sort((a, b) => a - b);
const median = (list) => sorted(list)[list.length >> 1];

async function open(path) {
  const page = await context.newPage();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`file://${path}`, { waitUntil: 'commit' });
  await page.waitForFunction(() => window.mhaViz?.timing.all);
  return page;
}

/* Of n heads: from the pointer's event until the next frame is done. */
async function hovers(page, n) {
  const views = await page.evaluate((n) => {
    const names = mhaViz.text.heads.slice(0, n).map((h) => `${h.layer}.${h.head}`);
    location.hash = `#v=links&h=${names.join(',')}`;
    return mhaViz.timing.views;
  }, n);
  await page.waitForFunction((was) => mhaViz.timing.views > was, views);
  await page.waitForFunction(() => !/still to come/.test(document.querySelector('.foot').textContent));
  await page.waitForTimeout(500);
  return page.evaluate(async (times) => {
    const frame = () =>
      new Promise((done) =>
        requestAnimationFrame(() => {
          const channel = new MessageChannel();
          channel.port1.onmessage = done;
          channel.port2.postMessage(0);
        }),
      );
    const list = ['q', 'k'].map((side) => document.querySelector(`.tokens.${side}`)),
      view = document.querySelector('#view').getBoundingClientRect(),
      out = [];
    for (let i = 0; i < times; i++) {
      const box = list[i % 2].getBoundingClientRect(),
        start = performance.now();
      list[i % 2].dispatchEvent(
        new PointerEvent('pointermove', {
          clientX: box.left + 5,
          clientY: view.top + 40 + ((i * 37) % (view.height - 80)),
          bubbles: true,
        }),
      );
      await frame();
      out.push(performance.now() - start);
    }
    return out;
  }, HOVERS);
}

let good = true;
try {
  for (const path of process.argv.slice(2)) {
    const goal = basename(path) === '144x512.html';
    const ready = [],
      all = [];
    let page = null;
    for (let i = 0; i < RUNS; i++) {
      await page?.close();
      page = await open(path);
      const timing = await page.evaluate(() => mhaViz.timing);
      ready.push(timing.ready);
      all.push(timing.all);
    }
    console.log(
      `${basename(path)}: a picture after ${median(ready).toFixed(0)} ms, all unpacked after ${median(all).toFixed(0)} ms`,
    );
    if (goal) good &&= median(ready) < 2000;
    for (const n of [1, 12, await page.evaluate(() => mhaViz.text.heads.length)]) {
      const times = sorted(await hovers(page, n));
      console.log(
        `${basename(path)}: hover, ${n} head${n === 1 ? '' : 's'}: ${median(times).toFixed(0)} ms, at most ${times.at(-1).toFixed(0)}`,
      );
      if (goal) good &&= median(times) <= 50 && times.at(-1) <= 100;
    }
    await page.close();
  }
} finally {
  await context.close();
  rmSync(profile, { recursive: true, force: true });
}
process.exit(good ? 0 : 1);
