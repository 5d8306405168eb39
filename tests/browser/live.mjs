// SPDX-License-Identifier: MIT
// The live pages of DIR in chromium: what is typed is answered, with the program's numbers; what
// cannot be is said; nothing is loaded; without WebAssembly the page is a plain one.
//     live.mjs DIR        (tests/live.sh)
import { createRequire } from 'node:module';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';

const dir = process.argv[2],
  modules = process.env.MODULES;
const { chromium } = createRequire(join(modules, 'x.js'))('playwright-core');
const axe = join(modules, 'axe-core', 'axe.min.js');
const profile = mkdtempSync(join(tmpdir(), 'browser-'));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.BROWSER,
  headless: true,
  chromiumSandbox: false,
  acceptDownloads: true,
  args: ['--disable-gpu', '--no-first-run', '--disable-background-networking'],
});
context.setDefaultTimeout(120000);
const lines = (name) => readFileSync(join(dir, name), 'utf8').replace(/\n$/, '').split('\n');
let failed = 0;

function check(what, good, more = '') {
  if (!good) {
    failed++;
    console.log('failed:', what, more);
  }
}

async function open(name, before) {
  const page = await context.newPage();
  page.said = [];
  page.on('pageerror', (e) => page.said.push(String(e.stack)));
  page.on('console', (m) => page.said.push(`${m.type()}: ${m.text()}`));
  page.on('dialog', (d) => {
    page.said.push(`dialog ${d.message()}`);
    d.dismiss();
  });
  page.on('request', (r) => {
    if (!/^(data|blob):/.test(r.url()) && r.url() !== `file://${dir}/${name}`)
      page.said.push(`request ${r.url()}`);
  });
  if (before) await page.addInitScript(before);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`file://${dir}/${name}`);
  await page.waitForFunction(
    () => window.mhaViz?.timing.live || document.querySelector('.live .why'),
  );
  return page;
}
async function close(page, what) {
  check(`${what}: nothing on the console, no request`, page.said.length === 0, page.said[0]);
  await page.close();
}
const field = (page, name) => page.locator(`.live textarea[name=${name}]`);
const state = (page) => page.locator('.live .state').textContent();
async function type(page, name, what) {
  await field(page, name).fill(what);
  await page.waitForFunction(() => !mhaViz.live.busy);
}

/* Tokens, views, examples, a text beside it, what is refused, and the picker. */
async function typing() {
  const page = await open('builtin.html');
  await field(page, 'text').fill('');
  await field(page, 'text').pressSequentially('the dog and the 猫 <b>ran</b>');
  await page.waitForFunction(() => !mhaViz.live.busy);
  const seen = await page.evaluate(() => [mhaViz.text.text, mhaViz.text.nq, mhaViz.text.heads.length]);
  check('what is typed is shown', seen[0] === 'the dog and the 猫 <b>ran</b>' && seen[2] === 24, seen);
  check('as it is', (await page.locator('.links b, .view b').count()) === 0);
  for (const tab of ['links', 'matrix', 'model', 'neuron', 'numbers']) await page.click(`#tab-${tab}`);
  check('all views', (await page.locator('.view table').count()) > 0);
  await page.click('#tab-links');
  await page.locator('.live select').selectOption({ index: 7 });
  await page.waitForFunction(() => !mhaViz.live.busy);
  check('an example', /猫/.test(await field(page, 'text').inputValue()));
  await type(page, 'beside', 'the cat');
  check('a text beside it', (await page.locator('.pane').count()) === 2);
  await type(page, 'beside', '');
  check('and without it', (await page.locator('.pane').count()) === 0);
  const n = await page.evaluate(() => mhaViz.text.nq);
  await type(page, 'text', 'cat '.repeat(3000));
  check('too long', / \d+ tokens.*takes at most/.test(await state(page)), await state(page));
  check('no options in what is said', !/--/.test(await state(page)), await state(page));
  check('the view stays', (await page.evaluate(() => mhaViz.text.nq)) === n);
  await type(page, 'text', 'the cat');
  check('it goes on', /Computed here/.test(await state(page)), await state(page));
  await page.locator('.bar select').first().selectOption('0');
  await page.waitForFunction(() => mhaViz.text.text === 'the cat saw the dog');
  const [saved] = await Promise.all([page.waitForEvent('download'), page.click('.stats')]);
  check('statistics are saved', saved.suggestedFilename() === 'stats.json');
  if (existsSync(axe)) {
    await page.evaluate(readFileSync(axe, 'utf8'));
    const found = await page.evaluate(async () =>
      (await axe.run(document, { resultTypes: ['violations'] })).violations.map((v) => v.id),
    );
    check('accessible', found.length === 0, found.join('; '));
  }
  await page.setViewportSize({ width: 400, height: 800 });
  await page.evaluate(() => (document.body.style.letterSpacing = '0.12em'));
  check(
    'not wider than a narrow window',
    await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
  );
  await close(page, 'typing');
}

/* stats --json of each text: the bytes of the program's plain C kernel. */
async function same(name, texts, model) {
  const page = await open(`${name}.html`),
    expected = lines(`${texts}.json`);
  const held = name === 'rounded' ? /weights are rounded to (Q8_0|F16), 0\.\d MiB/ : /weights are F(16|32), /;
  check(`${name}: what it holds`, held.test(await state(page)), await state(page));
  const got = await page.evaluate(
    async ([all, path]) => {
      const out = [];
      for (const text of all)
        out.push(await mhaViz.ask({ run: 0, words: ['stats', '--json', '-m', path, '--', text] }));
      return out;
    },
    [lines(name === 'builtin' ? 'texts' : 'few'), model],
  );
  const differ = got.filter(
    ({ out }, i) => out !== `${expected[i].replace(/"index":\d+,/, '"index":0,')}\n`,
  );
  check(
    `${name}: statistics are the program's`,
    got.length === expected.length && !differ.length,
    JSON.stringify(differ[0] ?? '').slice(0, 300),
  );
  console.log(`${name}: ${got.length - differ.length} of ${got.length} texts have the same bytes`);
  await close(page, name);
}

/* The tokens of an encoder and a decoder, typed. */
async function cross() {
  const page = await open('cross.html');
  await type(page, 'text', 'I like buying flowers');
  await type(page, 'pair', '我喜欢买花');
  const [queries, keys, on] = await page.evaluate(() => [mhaViz.text.nq, mhaViz.text.nk, mhaViz.text.cross]);
  check('two fields', on && queries === 6 && keys === 5, [queries, keys, on]);
  await type(page, 'pair', '');
  check('without the decoder', await page.evaluate(() => !mhaViz.text.cross), await state(page));
  await close(page, 'cross');
}

/* Pictures, dropped or chosen: the bytes of stats --json of the program, and their patches. */
async function pictures(name) {
  const page = await open(`${name}.html`),
    path = (file) => join(dir, 'pictures', file),
    idle = () => page.waitForFunction(() => !mhaViz.live.busy),
    shown = () => page.evaluate(() => mhaViz.text.input);
  const drop = async (file) => {
    await page.evaluate(
      ([letters, called]) => {
        const data = new DataTransfer();
        data.items.add(new File([Uint8Array.from(atob(letters), (c) => c.charCodeAt(0))], called));
        document.querySelector('.live .state').textContent = '';
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
      },
      [readFileSync(path(file)).toString('base64'), file],
    );
    await page.waitForFunction(() => document.querySelector('.live .state').textContent && !mhaViz.live.busy);
  };
  check(`${name}: what to do is said`, /^Drop a picture/.test(await state(page)), await state(page));
  check(`${name}: no text`, (await page.locator('.live textarea').count()) === 0);
  /* The picture that the page has is the one that the model sees. */
  const begun = await page.evaluate(async (model) => {
    await mhaViz.ask({ ask: 9, texts: [] });
    return (await mhaViz.ask({ run: 0, words: ['stats', '--json', '-m', model, '--image', 'first'] })).out;
  }, `/${name}`);
  const of = (json) => JSON.stringify(JSON.parse(json).heads);
  check(`${name}: its first picture`, of(begun) === of(readFileSync(join(dir, `${name}.rgb.json`), 'utf8')));
  let same = 0;
  const all = ['rgb', 'rgba', 'grey', 'grey_alpha', 'palette', 'bit', 'interlaced', 'turned6'];
  for (const one of all) {
    await drop(`${one}.png`);
    check(`${name}: ${one} is shown`, (await shown()) === `${one}.png`, await state(page));
    const { out } = await page.evaluate(
      (words) => mhaViz.ask({ run: 0, words }),
      ['stats', '--json', '-m', `/${name}`, '--image', `${one}.png`],
    );
    const good = out === readFileSync(join(dir, `${name}.${one}.json`), 'utf8');
    check(`${name}: statistics of ${one}`, good, out.slice(0, 200));
    same += good;
  }
  console.log(`${name}: ${same} of ${all.length} pictures have the same bytes`);
  await patches(page, name, JSON.parse(readFileSync(join(dir, `${name}.turned6.json`), 'utf8')));
  await drop('rgb.jpg');
  check(`${name}: a JPEG`, (await shown()) === 'rgb.jpg', await state(page));
  await drop('vit');
  check(`${name}: a name that is taken`, /^(picture )?vit$/.test(await shown()), await shown());
  for (const [file, why] of [
    ['cut.png', /^cut\.png is not a picture that this browser can read\.$/],
    ['huge.png', /^huge\.png (is not a picture|has \d+ x \d+ pixels; a picture may have 32768 on a side)/],
    ['../texts', /is not a picture that this browser can read/],
  ]) {
    const was = await shown();
    await drop(file);
    check(`${name}: ${file}`, why.test(await state(page)) && (await shown()) === was, await state(page));
  }
  await page.locator('.live input[name=picture0]').focus();
  page.on('filechooser', (chooser) => chooser.setFiles(path('grey.png')));
  await idle();
  await page.keyboard.press(' ');
  await page.waitForFunction(() => mhaViz.text.input === 'grey.png');
  await idle();
  await page.setInputFiles('.live input[name=picture1]', path('rgb.png'));
  await page.waitForFunction(() => document.querySelectorAll('.pane').length === 2);
  await idle();
  check(`${name}: two`, (await page.locator('.pane .matrix').count()) >= 2);
  await page.setViewportSize({ width: 400, height: 800 });
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.pane .box')].every((e) => e.getBoundingClientRect().right <= innerWidth),
  );
  check(
    `${name}: two below each other in a narrow window, not wider`,
    await page.evaluate(() => {
      const [a, b] = [...document.querySelectorAll('.pane')].map((e) => e.getBoundingClientRect());
      return document.documentElement.scrollWidth <= innerWidth && b.top >= a.bottom && a.width > 300;
    }),
  );
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.setInputFiles('.live input[name=picture1]', []);
  await page.waitForFunction(() => document.querySelectorAll('.pane').length === 0);
  const [saved] = await Promise.all([page.waitForEvent('download'), page.click('.stats')]);
  check(
    `${name}: statistics are saved`,
    readFileSync(await saved.path(), 'utf8') === readFileSync(join(dir, `${name}.grey.json`), 'utf8'),
  );
  if (existsSync(axe)) {
    await page.evaluate(readFileSync(axe, 'utf8'));
    const found = await page.evaluate(async () =>
      (await axe.run(document, { resultTypes: ['violations'] })).violations.map((v) => v.id),
    );
    check(`${name}: accessible`, found.length === 0, found.join('; '));
  }
  await close(page, name);
}

/* The view over the picture: of [CLS], then of a patch that is chosen by the pointer or by keys. */
async function patches(page, name, { heads }) {
  const of = (label) => /, attention of (.+) over (\d+) by (\d+) patches\. Strongest: (\S+) /.exec(label).slice(1),
    box = page.locator('.matrix .box').first(),
    label = async () => of(await box.getAttribute('aria-label'));
  check(`${name}: begins over the picture`, (await page.locator('#tab-picture').getAttribute('aria-selected')) === 'true');
  await page.waitForFunction(() => document.querySelector('.matrix .box')?.getAttribute('aria-label'));
  const { columns, first, head } = await page.evaluate(() => ({
    ...mhaViz.text.picture,
    head: Number(document.querySelector('.matrix .box').dataset.head),
  }));
  const strongest = (query) => heads[head].links[query][1] - first,
    at = (patch) => `${Math.floor(patch / columns)},${patch % columns}`;
  const [query, rows, across, best] = await label();
  check(`${name}: of [CLS]`, query === '[CLS]' && Number(across) === columns, query);
  if (strongest(0) >= 0) check(`${name}: its strongest patch`, best === at(strongest(0)), best);
  const size = await box.evaluate((e) => [e.firstChild.offsetWidth - 1, e.firstChild.offsetHeight - 24]);
  await box.click({ position: { x: size[0] * (1.5 / columns), y: size[1] * (1.5 / Number(rows)) } });
  check(`${name}: a patch is clicked`, (await label())[0] === '1,1', await label());
  const chosen = 1 + columns + first;
  if (strongest(chosen) >= 0)
    check(`${name}: and shown`, (await label())[3] === at(strongest(chosen)), await label());
  await page.mouse.move(5, 5);
  await box.focus();
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown', ' ']) await page.keyboard.press(key);
  check(`${name}: the query again: [CLS]`, (await label())[0] === '[CLS]', await label());
  for (const key of ['ArrowRight', 'Enter']) await page.keyboard.press(key);
  check(`${name}: a patch by keys`, (await label())[0] === '1,2', await label());
  await page.locator('.options select').first().selectOption(`q${first + 1}`);
  await page.waitForFunction((p) => mhaViz.state.p === p, `q${first + 1}`);
  check(`${name}: a query of the list`, (await label())[0] === '0,1', await label());
  await page.locator('.options select').first().selectOption('');
}

/* Tokens that the model adds: those of the program, after fewer or more; stopped; typed again. */
async function generation() {
  const made = JSON.parse(readFileSync(join(dir, 'generated.json'), 'utf8')),
    page = await open('builtin.html'),
    wanted = JSON.stringify(made.labels.map((label) => label.trim()));
  const press = async (n) => {
    await page.locator('.live input[name=generate]').fill(String(n));
    await page.click('.live .generate');
    await page.waitForFunction(() => !mhaViz.live.busy);
    return page.evaluate(() => mhaViz.text.queries.labels);
  };
  await type(page, 'text', made.text);
  await press(3);
  const got = await press(12);
  check('generated tokens', JSON.stringify(got) === wanted, `${JSON.stringify(got)}, expected ${wanted}`);
  check('what is added is said', /The model adds “.+”, in /.test(await state(page)), await state(page));
  await type(page, 'text', 'the cat');
  check('then without', (await page.evaluate(() => mhaViz.text.generated)) === undefined);
  const view = await page.evaluate(() => mhaViz.state.v);
  await page.locator('.live input[name=generate]').fill('');
  await page.locator('.live input[name=generate]').pressSequentially('50');
  check('digits are for the field', (await page.evaluate(() => mhaViz.state.v)) === view);
  const stopped = await page.evaluate(async () => {
    const button = document.querySelector('.live .generate'),
      { text } = mhaViz.text;
    button.click();
    const was = button.textContent;
    button.click();
    button.click(); /* while the model is unpacked again */
    while (mhaViz.live.busy) await new Promise((done) => setTimeout(done, 10));
    return [was, button.textContent, mhaViz.text.text === text, mhaViz.text.generated ?? ''];
  });
  check('stopped', JSON.stringify(stopped) === '["Stop","Generate",true,""]', JSON.stringify(stopped));
  check('and says so', /^Stopped/.test(await state(page)), await state(page));
  await type(page, 'text', made.text);
  check('the same after it', JSON.stringify(await press(12)) === wanted);
  await type(page, 'text', 'the cat');
  const waited = await page.evaluate(async (text) => {
    const typed = document.querySelector('.live textarea[name=text]'),
      button = document.querySelector('.live .generate');
    typed.value = text;
    typed.dispatchEvent(new Event('input'));
    button.click(); /* while the text is computed */
    while (mhaViz.live.busy) await new Promise((done) => setTimeout(done, 10));
    return [mhaViz.text.queries.labels, button.textContent];
  }, made.text);
  check('Generate waits', JSON.stringify(waited) === JSON.stringify([JSON.parse(wanted), 'Generate']), waited);
  await close(page, 'generation');
  const pair = JSON.parse(readFileSync(join(dir, 'translated.json'), 'utf8')),
    cross = await open('cross.html');
  await type(cross, 'text', pair.text);
  await cross.locator('.live input[name=generate]').fill('8');
  await cross.click('.live .generate');
  await cross.waitForFunction(() => !mhaViz.live.busy);
  const added = await cross.evaluate(() => mhaViz.text.queries.labels);
  check('a decoder\'s text', JSON.stringify(added) === JSON.stringify(pair.labels), JSON.stringify([added, pair.labels]));
  await close(cross, 'generation of a pair');
  const encoder = await open('bert.html');
  check('an encoder adds nothing', (await encoder.locator('.live .generate').count()) === 0);
  await close(encoder, 'no generation');
}

/* Without WebAssembly, and where its worker does not start; without what unpacks the file. */
async function without() {
  const old = await context.newPage();
  await old.addInitScript('delete window.DecompressionStream');
  await old.goto(`file://${dir}/builtin.html`);
  check(
    'without DecompressionStream: a sentence',
    /no DecompressionStream/.test(await old.getByRole('alert').textContent()),
  );
  await old.close();
  for (const before of ['delete window.WebAssembly', 'window.Worker = class { constructor() { throw new Error("no workers") } }']) {
    const page = await open('builtin.html', before);
    check(`${before}: why`, /Nothing can be typed here: .*was made with/.test(await state(page)), await state(page));
    check(`${before}: no field`, !(await field(page, 'text').isVisible()));
    check(`${before}: the text`, await page.evaluate(() => mhaViz.text.text === 'the cat saw the dog'));
    await close(page, before);
  }
}

/* x86 without SSE4.1 is an engine without vectors: its WebAssembly does not take the module. */
async function withoutVectors() {
  if (process.arch !== 'x64') return;
  const browser = await chromium.launch({
    executablePath: process.env.BROWSER,
    chromiumSandbox: false,
    args: ['--disable-gpu', '--js-flags=--no-enable-sse4-1'],
  });
  const page = await browser.newPage();
  await page.goto(`file://${dir}/builtin.html`);
  await page.waitForFunction(() => document.querySelector('.live .why'));
  check('no vectors: why', /does not run its module.*was made with/.test(await state(page)), await state(page));
  check('no vectors: the text', await page.evaluate(() => mhaViz.text.text === 'the cat saw the dog'));
  await browser.close();
}

/* Printed, not asked of: machines differ. */
async function times() {
  const page = await open('builtin.html'),
    took = [];
  for (let i = 0; i < 40; i++) {
    await type(page, 'text', `The old man saw the dog and the cat sleep under the tall tree in the ${'abcd'[i % 4]}.`);
    took.push(await page.evaluate(() => [mhaViz.timing.computed, mhaViz.timing.answered]));
  }
  const median = (k) => took.map((t) => t[k]).sort((a, b) => a - b)[20].toFixed(1);
  const { ready, live, tokens } = await page.evaluate(() => ({ ...mhaViz.timing, tokens: mhaViz.text.nq }));
  console.log(
    `shown after ${ready.toFixed(0)} ms, typed into after ${live.toFixed(0)} ms; ${tokens} tokens: ` +
      `computed in ${median(0)} ms, on the page after ${median(1)} ms (medians)`,
  );
  await close(page, 'times');
}

try {
  await typing();
  await same('builtin', 'texts', 'builtin:decoder');
  await same('bert', 'bert', '/bert');
  await same('rounded', 'rounded', '/bert');
  await same('gguf_llama', 'gguf_llama', '/gguf_llama/model.gguf');
  await cross();
  await pictures('vit');
  await pictures('deit');
  await generation();
  await without();
  await withoutVectors();
  await times();
} finally {
  await context.close();
  rmSync(profile, { recursive: true, force: true });
}
if (!existsSync(axe)) console.log('axe-core is not installed: accessibility was not checked');
process.exit(failed ? 1 : 0);
