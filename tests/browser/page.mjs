// SPDX-License-Identifier: MIT
// The pages of DIR in chromium: each control does what it says, statistics are those of stats, no
// request is made, nothing is said on the console, hostile tokens are inert.
//     page.mjs DIR        (tests/browser.sh)
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
  args: [
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
context.setDefaultTimeout(120000);
const TABS = ['links', 'matrix', 'model', 'trace', 'neuron', 'numbers'];
let failed = 0;

function check(what, good, more = '') {
  if (!good) {
    failed++;
    console.log('failed:', what, more);
  }
}

async function open(name, { address = '', width = 1280, height = 800, scheme = 'light' } = {}) {
  const page = await context.newPage(),
    said = [];
  page.said = said;
  page.on('pageerror', (e) => said.push(String(e.stack)));
  page.on('console', (m) => said.push(`${m.type()}: ${m.text()}`));
  page.on('dialog', (d) => {
    said.push(`dialog ${d.message()}`);
    d.dismiss();
  });
  page.on('request', (r) => {
    if (!/^(data|blob):/.test(r.url()) && r.url().split('#')[0] !== `file://${dir}/${name}`)
      said.push(`request ${r.url()}`);
  });
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme });
  await page.goto(`file://${dir}/${name}${address}`);
  await page.waitForFunction(() => window.mhaViz?.timing.all);
  return page;
}
async function close(page, what) {
  check(
    `${what}: nothing on the console, no request`,
    page.said.length === 0,
    `${page.said.length} times, first: ${page.said[0]}`,
  );
  await page.close();
}
const chosen = (page) =>
  page.evaluate(() => mhaViz.state.heads.filter((id) => id !== undefined).length);
/* A head of the built-in model, 4 in each layer. */
const mhaVizId = (layer, head) => 4 * layer + head;
const cell = (page, id) => page.locator(`.rail [data-id="${id}"]`);

async function heads() {
  const page = await open('texts.html'),
    before = await chosen(page);
  await cell(page, 20).click();
  check('a click selects a head', (await chosen(page)) === before + 1);
  await cell(page, 20).click();
  check('another one does not', (await chosen(page)) === before);
  await cell(page, 21).dblclick();
  check('a double click isolates', (await chosen(page)) === 1);
  await cell(page, 21).dblclick();
  check('another one selects the layer', (await chosen(page)) === 4);
  await cell(page, 0).dblclick();
  await cell(page, 5).click({ modifiers: ['Shift'] });
  check('shift selects a block', (await chosen(page)) === 4);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Space');
  check('arrows and space', (await chosen(page)) === 5);
  await page.keyboard.press('Enter');
  check('enter isolates', (await chosen(page)) === 1);
  await page.keyboard.press('Control+a');
  check('all', (await chosen(page)) === 24);
  await page.keyboard.press('Escape');
  check('none', (await chosen(page)) === 0 && (await page.locator('.empty').count()) === 1);
  await cell(page, 6).click();
  await page.waitForFunction(() => /h=1\.2/.test(location.hash));
  await close(page, 'heads');
}

async function tokens() {
  const page = await open('texts.html', { address: '#h=3.1' });
  await page.locator('.tokens.q li').nth(5).click();
  await page.waitForFunction(() => /p=q5/.test(location.hash));
  check(
    'a token is said',
    /attends to: L3H1: /.test(await page.locator('#say').textContent()),
    await page.locator('#say').textContent(),
  );
  await page.locator('input[type=search]').fill('cat');
  check('found', (await page.locator('.hits').textContent()) === '1/2');
  await page.locator('input[type=search]').press('Enter');
  check('the next one', (await page.locator('.hits').textContent()) === '2/2');
  await page.locator('input[type=search]').press('Escape');
  const n = await page.evaluate(() => mhaViz.field.nq);
  await page.keyboard.press('x');
  check('special tokens are hidden', (await page.evaluate(() => mhaViz.field.nq)) === n - 1);
  await page.getByLabel('Rescale rows to 1 after that').check();
  const sum = await page.evaluate(() => mhaViz.field.row(13, 5).reduce((a, v) => a + v, 0));
  check('rows are rescaled', Math.abs(sum - 1) < 1e-5, sum);
  await page.locator('.rail input[type=range]').first().fill('5');
  check('a slider', (await page.evaluate(() => mhaViz.state.s)) === 5);
  await page.keyboard.press('2');
  await page.locator('.box').first().focus();
  await page.keyboard.press('ArrowDown');
  check('the cell is said', / to .*: /.test(await page.locator('#say').textContent()));
  await close(page, 'tokens');
}

/* A page for each view: chromium asks before the eleventh file of one page. */
async function saving() {
  for (const [i, tab] of TABS.entries()) {
    const page = await open('texts.html', { address: '#h=3.1,2.0' });
    await page.keyboard.press(String(i + 1));
    check(`key ${i + 1}`, (await page.evaluate(() => mhaViz.state.v)) === tab);
    for (const [name, start] of [
      ['Figure as SVG', '<svg'],
      ['Figure as PNG', '\x89PNG'],
      ['Numbers as TSV', 'layer\t'],
    ]) {
      await page.getByRole('button', { name: 'Save' }).click();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name }).click(),
      ]);
      check(`${tab}: ${name}`, readFileSync(await file.path(), 'latin1').startsWith(start));
    }
    await page.pdf();
    await close(page, `saving ${tab}`);
  }
}

/* Statistics, and what weights come to, against `stats --json`. */
async function numbers() {
  const page = await open('texts.html'),
    lines = readFileSync(join(dir, 'texts.json'), 'utf8')
      .trim()
      .split('\n')
      .map((l) => JSON.parse(l));
  for (const [t, stats] of lines.entries()) {
    await page.evaluate((i) => {
      location.hash = `#t=${i}`;
    }, t);
    await page.waitForFunction(
      (i) =>
        mhaViz.text.number === i &&
        mhaViz.text.loaded.length === mhaViz.text.blocks.length &&
        mhaViz.field.text === mhaViz.text,
      t,
    );
    const got = await page.evaluate(() =>
      mhaViz.text.heads.map((h, id) => {
        let max = 0;
        for (let q = 0; q < mhaViz.field.nq; q++) max += Math.max(...mhaViz.field.row(id, q));
        return { entropy: mhaViz.text.metric.entropy.value[id], max: max / mhaViz.field.nq };
      }),
    );
    got.forEach((head, id) => {
      check(`text ${t}, head ${id}: entropy`, head.entropy === stats.heads[id].entropy);
      check(
        `text ${t}, head ${id}: max_mean`,
        Math.abs(head.max - stats.heads[id].max_mean) < 1e-6,
        `${head.max} ${stats.heads[id].max_mean}`,
      );
    });
  }
  check('texts are listed', (await page.locator('.bar option').count()) === lines.length);
  await close(page, 'numbers');
}

/* One query taken apart, against `neuron --json`. */
async function neuron() {
  const page = await open('texts.html', { address: '#v=neuron&h=3.1,2.0&nh=2.0&q=4' }),
    want = JSON.parse(readFileSync(join(dir, 'neuron.json'), 'utf8').split('\n')[0]);
  await page.waitForSelector('.neuron tbody td');
  const shown = await page
    .locator('.neuron tbody tr')
    .evaluateAll((rows) =>
      rows
        .filter((r) => r.ariaRowIndex)
        .map((r) => [...r.querySelectorAll('td.number')].map((e) => +e.textContent.replace('−', '-'))),
    );
  check('a row for each key that is seen', shown.length === want.keys.length, shown.length);
  want.keys.forEach((key, i) => {
    const [dot, scaled, weight] = shown[i] ?? [];
    check(`key ${i}: q.k`, Math.abs(dot - key.dot) < 0.06, `${dot} ${key.dot}`);
    check(`key ${i}: scaled`, Math.abs(scaled - key.scaled) < 0.06, `${scaled} ${key.scaled}`);
    check(`key ${i}: softmax`, Math.abs(weight - key.weight) < 0.003, `${weight} ${key.weight}`);
  });
  await page.locator('.neuron tbody canvas').nth(3).hover({ position: { x: 20, y: 10 } });
  check('a bar is said', /dimension 3: q /.test(await page.locator('.neuron output').textContent()));
  await page.getByRole('button', { name: 'cat', exact: true }).first().click();
  await page.waitForFunction(() => mhaViz.state.q === 2);
  await page.locator('.options').getByLabel('Query').selectOption('5');
  await page.locator('.options').getByLabel('Head').selectOption('3.1');
  await page.waitForFunction(() => /q of dog/.test(document.querySelector('.neuron')?.textContent));
  check('it is in the address', await page.waitForFunction(() => /q=5&nh=3\.1/.test(location.hash)));
  await close(page, 'neuron');
  const bare = await open('long.html', { address: '#v=neuron&h=1.0' });
  check('none: how to get them', /--neuron always/.test(await bare.locator('.empty').textContent()));
  await close(bare, 'neuron without queries and keys');
}

/* One token through the layers: its row and its column are those of the heads. */
async function trace() {
  const page = await open('texts.html', { address: '#v=trace&p=q4&h=3.1,2.0' });
  await page.waitForSelector('.trace tbody canvas');
  const shown = () =>
    page.locator('.trace tbody tr:not([aria-hidden])').evaluateAll((rows) =>
      rows.map((r) =>
        [...r.querySelectorAll('canvas')].map((c) =>
          c.ariaLabel
            .split(': ')[1]
            .split(' ')
            .map((v) => (v === '–' ? NaN : Number(v))),
        ),
      ),
    );
  const far = async (want) => {
    const rows = await shown();
    return Math.max(
      ...rows.flatMap((row, i) =>
        row.flatMap((strip, side) =>
          strip.map((v, layer) => (Number.isNaN(v) ? 0 : Math.abs(v - want[side][layer][i]))),
        ),
      ),
    );
  };
  const want = (heads) =>
    page.evaluate((heads) => {
      const { text, field } = mhaViz,
        mean = (layer, at) => {
          const ids = heads ?? text.heads.flatMap((h, id) => (h.layer === layer ? [id] : []));
          const mine = ids.filter((id) => text.heads[id].layer === layer);
          return [...Array(field.nq).keys()].map(
            (i) => mine.reduce((sum, id) => sum + at(id, i), 0) / mine.length,
          );
        };
      const layers = text.layers.filter(
        (layer) => !heads || heads.some((id) => text.heads[id].layer === layer),
      );
      return [(id, i) => field.row(id, 4)[i], (id, i) => field.row(id, i)[4]].map((at) =>
        layers.map((layer) => mean(layer, at)),
      );
    }, heads);
  const all = await far(await want(null));
  check('rows and columns of all layers', all < 0.006, all);
  check('a row for each token', (await shown()).length === (await page.evaluate(() => mhaViz.field.nq)));
  await page.locator('.options').getByLabel('Heads').selectOption('chosen');
  await page.waitForFunction(() => /selected/.test(document.querySelector('.foot').textContent));
  const two = await far(await want([mhaVizId(3, 1), mhaVizId(2, 0)].sort((a, b) => a - b)));
  check('of the selected heads', two < 0.006, two);
  await page.locator('.trace tbody canvas').nth(2).hover({ position: { x: 4, y: 8 } });
  check('a weight is said', /layer 2: .* → /.test(await page.locator('.trace output').textContent()));
  await page.getByRole('button', { name: 'cat', exact: true }).first().click();
  await page.waitForFunction(() => mhaViz.state.p === 'q2' && document.querySelector('.trace .on'));
  await page.waitForFunction(() => /p=q2/.test(location.hash) && /of=chosen/.test(location.hash));
  await close(page, 'trace');
  const cross = await open('cross.html', { address: '#v=trace&p=k1' });
  await cross.waitForSelector('.trace tbody canvas');
  check(
    'of an encoder token: the decoder tokens that attend to it',
    (await cross.locator('.trace thead').textContent()).includes('is attended to by') &&
      (await cross.locator('.trace tbody tr:not([aria-hidden])').count()) ===
        (await cross.evaluate(() => mhaViz.field.nq)),
  );
  await close(cross, 'trace of cross-attention');
}

/* Two texts, and what one has more than the other. */
async function compare() {
  const page = await open('compared.html', { address: '#h=3.1,2.0' });
  check('two panes', (await page.locator('.pane').count()) === 2);
  check(
    'with the names of the texts',
    (await page.locator('.pane h3').allTextContents()).join('|') === 'the cat saw the dog|the dog ran',
  );
  const both = await page.evaluate(() => {
    const id = mhaViz.text.heads.findIndex((h) => h.name === 'L3H1');
    return [document.querySelector('.about dd').textContent,
      [0, 1].map((t) => mhaViz.texts[t].metrics[0].value[id].toFixed(3)).join(' | ')];
  });
  check('the numbers of a head in both', both[0] === both[1], both);
  const own = await page.evaluate(() =>
    [0, 1].map((t) => mhaViz.texts[t].queries.labels.join(' ')),
  );
  for (const tab of TABS) {
    await page.click(`#tab-${tab}`);
    check(`${tab}: two panes`, (await page.locator('.pane .part > *').count()) === 2);
  }
  await page.click('#tab-links');
  await page.locator('.pane').nth(1).locator('.tokens.q li').nth(2).click();
  await page.waitForFunction(() => /p=q2/.test(location.hash));
  await page.locator('label', { hasText: /^As/ }).locator('select').selectOption('diff');
  await page.waitForFunction(() => mhaViz.field.signed);
  const labels = await page.evaluate(() => mhaViz.field.queries.map((u) => u.label).join(' '));
  check('tokens that both have', labels === '<|bos|> the dog', `${labels} of ${own}`);
  check('the others are told', /3 tokens without a counterpart/.test(await page.locator('.foot').textContent()));
  const worst = await page.evaluate(() => {
    const rows = mhaViz.field.row(13, 2),
      [a, b] = [mhaViz.field.first.row(13, 5), mhaViz.field.second.row(13, 2)];
    return Math.max(...[0, 1, 2].map((k) => Math.abs(rows[k] - (a[[0, 1, 5][k]] - b[k]))));
  });
  check('a difference is first less second', worst < 1e-6, worst);
  for (const tab of TABS) await page.click(`#tab-${tab}`);
  check('the table has differences', (await page.locator('tbody td.number').first().textContent()) ===
    (await page.evaluate(() => {
      const [a, b] = mhaViz.text.of.map((t) => t.metrics[0].value[0]);
      return (a - b).toFixed(3).replace('-', '−');
    })));
  await page.locator('label', { hasText: /^With/ }).locator('select').selectOption('-1');
  await page.waitForFunction(() => !mhaViz.field.signed && !document.querySelector('.pane'));
  await close(page, 'compare');
  for (const [d, v, width] of [['side', 'links', 400], ['diff', 'matrix', 1280], ['side', 'model', 1280]])
    for (const scheme of ['light', 'dark'])
      await accessible(`${d} ${v}`, 'compared.html', { address: `#d=${d}&v=${v}&h=0.0,3.1`, width, scheme });
}

async function hostile() {
  const page = await open('texts.html', { address: '#t=2&h=0.0,3.1' });
  for (const tab of TABS) await page.click(`#tab-${tab}`);
  await page.click('#tab-links');
  check(
    'hostile tokens are text',
    await page.evaluate(() => !document.querySelector('img, main script')),
  );
  check(
    'and are shown',
    (await page.locator('.bar option').nth(2).textContent()).startsWith('<script>alert(1)'),
  );
  await close(page, 'hostile');
  for (const address of [
    '#h=99.99,x,-1.2&v=nope&s=abc&t=77&p=q999&m=zzz',
    '#h=&v=matrix',
    '#%E0%A4%A=%',
    '#h=0.0,0.0&x=sf&b=AB&c=7&t=-1.5&__proto__=1',
  ])
    await close(await open('texts.html', { address }), `address ${address}`);
}

async function pairs() {
  const page = await open('pair.html'),
    n = await page.evaluate(() => mhaViz.field.nq);
  const of = {};
  for (const between of ['AA', 'AB', 'BA', 'BB']) {
    await page.getByLabel('Between').selectOption(between);
    of[between] = await page.evaluate(() => [mhaViz.field.nq, mhaViz.field.nk]);
  }
  check(
    'pair filters',
    of.AA[0] + of.BB[0] === n &&
      of.AB[0] === of.AA[0] &&
      of.AB[1] === of.BB[1] &&
      of.BA[1] === of.AA[1],
    JSON.stringify(of),
  );
  await page.getByLabel('Between').selectOption('all');
  await page.getByLabel('Words in place of pieces').check();
  check('words', (await page.evaluate(() => mhaViz.field.nq)) < n);
  await close(page, 'pairs');
  const cross = await open('cross.html');
  check(
    'cross-attention has two sides',
    await cross.evaluate(() => mhaViz.text.cross && mhaViz.field.nq !== mhaViz.field.nk),
  );
  for (const tab of TABS) await cross.click(`#tab-${tab}`);
  await close(cross, 'cross');
}

/* Not wider than the window, also where letters stand wide; and what axe finds. */
async function accessible(what, name, how) {
  const view = await open(name, how);
  for (const spacing of ['normal', '0.12em']) {
    await view.evaluate((wide) => (document.body.style.letterSpacing = wide), spacing);
    check(
      `${what} at ${how.width}, letters ${spacing}: not wider than the window`,
      await view.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
    );
  }
  await view.evaluate(() => (document.body.style.letterSpacing = 'normal'));
  if (existsSync(axe)) {
    await view.evaluate(readFileSync(axe, 'utf8'));
    const found = await view.evaluate(async () =>
      (await axe.run(document, { resultTypes: ['violations'] })).violations.map(
        (v) => `${v.id}: ${v.nodes[0].target.join(' ')}`,
      ),
    );
    check(`${what} at ${how.width}, ${how.scheme}: accessible`, found.length === 0, found.join('; '));
  }
  await close(view, `${what} at ${how.width}`);
}

/* Each thing that can be used is reached by Tab; sizes and grounds; what axe finds. */
async function reached() {
  const page = await open('texts.html'),
    seen = new Set();
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab');
    seen.add(
      await page.evaluate(() => {
        const a = document.activeElement;
        return a.getAttribute('role') === 'gridcell'
          ? 'map'
          : a.closest('.tokens')
            ? 'token'
            : (a.getAttribute('aria-label') || a.textContent || a.tagName).trim();
      }),
    );
  }
  for (const what of ['Text', 'Find a token', 'Save', 'map', 'token', 'Links'])
    check(`Tab reaches ${what}`, seen.has(what), [...seen].join(' | '));
  await close(page, 'keyboard');
  for (const width of [1280, 400])
    for (const scheme of ['light', 'dark'])
      for (const tab of TABS)
        await accessible(tab, 'texts.html', { address: `#v=${tab}&h=0.0,3.1`, width, scheme });
}

async function long() {
  const page = await open('long.html', { address: '#h=1.0,2.0' });
  check('links are counted', /strongest of/.test(await page.locator('.foot').textContent()));
  const [listed, n] = await page.evaluate(() => [
    document.querySelectorAll('.tokens.q li').length,
    mhaViz.field.nq,
  ]);
  check('of a long list few tokens are elements', listed < n / 2, `${listed} of ${n}`);
  await page.locator('.tokens.q li').first().focus();
  await page.keyboard.press('End');
  check(
    'the last one is reached',
    +(await page.evaluate(() => document.activeElement.dataset.u)) === n - 1,
  );
  await page.keyboard.press('Home');
  check('and the first', +(await page.evaluate(() => document.activeElement.dataset.u)) === 0);
  for (const tab of TABS) await page.click(`#tab-${tab}`);
  await close(page, 'long');
}

/* A part of the heatmaps: pointer, wheel, keys, buttons; its cells are those of the whole. */
async function zoom() {
  const page = await open('long.html', { address: '#v=matrix&h=1.0,2.0' }),
    box = page.locator('.box').first(),
    part = () =>
      page.evaluate(() => (mhaViz.state.z ? mhaViz.state.z.split(/[-,]/).map(Number) : null)),
    at = await box.boundingBox();
  const drag = async (x0, y0, x1, y1) => {
    await page.mouse.move(at.x + x0, at.y + y0);
    await page.mouse.down();
    await page.mouse.move(at.x + x1, at.y + y1, { steps: 3 });
    await page.mouse.up();
  };
  await drag(80, 90, 160, 130);
  const dragged = await part();
  check('a block is dragged', dragged && dragged[1] - dragged[0] < dragged[3] - dragged[2], dragged);
  await drag(200, 80, 120, 80);
  const moved = await part();
  check('a part is moved', moved[2] > dragged[2] && moved[0] === dragged[0], moved);
  await page.mouse.move(at.x + 150, at.y + 80);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -100);
  await page.keyboard.up('Control');
  await page.waitForFunction((z) => mhaViz.state.z !== z, `${moved[0]}-${moved[1]},${moved[2]}-${moved[3]}`);
  const closer = await part();
  check('the wheel', closer[1] - closer[0] < moved[1] - moved[0], closer);
  await box.focus();
  for (const [key, what] of [
    ['-', (z, old) => z[1] - z[0] > old[1] - old[0]],
    ['+', (z, old) => z[1] - z[0] < old[1] - old[0]],
    ['Shift+ArrowDown', (z, old) => z[0] > old[0]],
    ['Shift+ArrowLeft', (z, old) => z[2] < old[2]],
  ]) {
    const old = await part();
    await page.keyboard.press(key);
    check(key, what(await part(), old), `${old} ${await part()}`);
  }
  const before = await part();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  check('the part follows the cell', (await part())[0] < before[0], `${before} ${await part()}`);
  for (const [name, better] of [
    ['Zoom out', (z, old) => z[1] - z[0] > old[1] - old[0]],
    ['Later queries', (z, old) => z[0] > old[0]],
    ['Earlier keys', (z, old) => z[2] < old[2]],
  ]) {
    const old = await part();
    await page.getByRole('button', { name }).click();
    check(name, better(await part(), old), `${old} ${await part()}`);
  }
  check('the foot says which', /queries \d+ to \d+/.test(await page.locator('.foot').textContent()));
  await page.waitForFunction(() => location.hash.includes(encodeURIComponent(mhaViz.state.z)));
  await box.focus();
  await page.keyboard.press('0');
  check('all', (await part()) === null);
  const pinch = (steps) =>
    box.evaluate((e, list) => {
      const { left, top } = e.getBoundingClientRect();
      for (const [name, pointerId, x, y] of list)
        e.dispatchEvent(
          new PointerEvent(name, {
            pointerId,
            pointerType: 'touch',
            clientX: left + x,
            clientY: top + y,
            bubbles: true,
          }),
        );
    }, steps);
  await pinch([
    ['pointerdown', 11, 140, 100],
    ['pointerdown', 12, 180, 140],
    ['pointermove', 11, 100, 60],
    ['pointermove', 12, 220, 180],
  ]);
  const [q0, q1] = (await part()) ?? [0, 0];
  const n = await page.evaluate(() => mhaViz.field.nq);
  check('two fingers', Math.abs((q1 - q0) / n - 1 / 3) < 0.05 && q0 > 0, `${q0} ${q1} of ${n}`);
  await pinch([
    ['pointerup', 11, 100, 60],
    ['pointermove', 12, 300, 300],
  ]);
  check('one finger does not', (await part())[1] === q1, await part());
  await pinch([['pointercancel', 12, 300, 300]]);
  await close(page, 'zoom');
}

/* Attention over a picture: by mouse, by finger and by keys, on a wide window and a narrow one. */
async function picture() {
  for (const width of [1280, 400]) {
    const page = await open('picture.html', { address: '#v=picture&h=0.0,1.1', width }),
      boxes = page.locator('.matrix .box'),
      at = await boxes.evaluateAll((all) =>
        all.map((e) => e.getBoundingClientRect()).map((r) => [r.left, r.right, r.top]),
      );
    const value = (part = 0) => page.locator('.matrix output').nth(part).textContent();
    const query = () => page.locator('.options select').first().inputValue();
    const name = `picture at ${width}`;
    check(`${name}: within the window`, at.length === 2 && at.every(([l, r]) => l >= 0 && r <= width), at);
    check(`${name}: ${width === 400 ? 'below' : 'beside'} each other`, at[0][2] === at[1][2] === (width > 400));
    check(`${name}: as wide as there is room`, at[0][1] - at[0][0] >= (width === 400 ? 340 : 400), at);

    const weight = (head, from, to) =>
      page.evaluate(
        ([id, q, k]) => mhaViz.field.row(id, q)[k],
        [head, from, to],
      );
    const patches = await page.evaluate(() => mhaViz.text.picture);
    const spot = async (row, column) => {
      const { width: w, height: h } = await boxes.first().boundingBox(),
        rows = (await page.evaluate(() => mhaViz.field.nk) - patches.first) / patches.columns;
      return { x: ((column + 0.5) / patches.columns) * w, y: ((row + 0.5) / rows) * (h - 24) };
    };
    const says = async (what, q, row, column) => {
      const key = patches.first + row * patches.columns + column,
        want = await weight(0, q, key);
      const [, label, number] = /→ (\S+) ([\d.e-]+)$/.exec(await value()) ?? [];
      check(`${name}: ${what} reads the weight`, label === `${row},${column}` && Math.abs(number - want) < 1e-3,
        `${await value()}, expected ${want}`);
      check(`${name}: ${what} reads it in the other head, too`, (await value(1)).includes(`→ ${row},${column} `));
      check(`${name}: the value is not cut off`,
        await page.locator('.matrix output').first().evaluate((e) => e.scrollWidth <= e.clientWidth && e.getBoundingClientRect().right <= innerWidth));
    };
    await boxes.first().hover({ position: await spot(1, 4) });
    await says('a mouse', 0, 1, 4);
    await boxes.first().click({ position: await spot(1, 4) });
    check(`${name}: a click makes a patch the query`, (await query()) === `q${patches.first + patches.columns + 4}`);
    check(`${name}: and the foot says so`, (await page.locator('.foot').textContent()).startsWith('attention of 1,4 '));
    await boxes.first().click({ position: await spot(1, 4) });
    check(`${name}: another one none`, (await query()) === '');
    await page.mouse.move(2, 2);
    check(`${name}: without a mouse no value`, (await value()) === '');

    const { x, y } = await spot(2, 3);
    const tap = () =>
      boxes.first().evaluate(
        (box, [left, top]) => {
          const r = box.getBoundingClientRect();
          for (const type of ['pointerdown', 'pointerup', 'pointerleave', 'click'])
            box.dispatchEvent(
              new PointerEvent(type, {
                bubbles: true,
                pointerType: 'touch',
                clientX: r.left + left,
                clientY: r.top + top,
              }),
            );
        },
        [x, y],
      );
    await tap();
    await says('a tap', 0, 2, 3);
    check(`${name}: a tap does not choose`, (await query()) === '');
    await tap();
    check(`${name}: a second one does`, (await query()) === `q${patches.first + 2 * patches.columns + 3}`);

    await boxes.first().focus();
    await page.keyboard.press('ArrowUp');
    await says('a key', patches.first + 2 * patches.columns + 3, 1, 3);
    await page.keyboard.press('Enter');
    check(`${name}: Enter chooses`, (await query()) === `q${patches.first + patches.columns + 3}`);
    await close(page, name);
    for (const scheme of ['light', 'dark'])
      await accessible('picture', 'picture.html', { address: '#v=picture&h=0.0,1.1', width, scheme });
  }
}

/* Rows that a sink takes a share of do not add up to 1. */
async function sink() {
  const page = await open('sink.html'),
    said = await page.locator('.foot').textContent();
  const mean = await page.evaluate(() => {
    const { field, text } = mhaViz;
    let left = 0;
    for (let id = 0; id < text.heads.length; id++)
      for (let q = 0; q < field.nq; q++) left += 1 - field.row(id, q).reduce((sum, w) => sum + w, 0);
    return left / text.heads.length / field.nq;
  });
  const [, taken] = /a sink that is not a key takes the rest, on average (0?\.\d+)/.exec(said) ?? [];
  check('a sink: the foot says what it takes', Math.abs(taken - mean) < 0.005, `${said}; ${mean}`);
  await close(page, 'sink');
  const plain = await open('texts.html');
  check('and nothing where there is none', !/sink/.test(await plain.locator('.foot').textContent()));
  await close(plain, 'no sink');
}

/* 1,024 heads: chosen all at once, in each view. */
async function many() {
  const page = await open('many.html');
  check('32 x 32 heads', (await page.locator('.rail [role=gridcell]').count()) === 1024);
  await cell(page, 0).focus();
  await page.keyboard.press('Control+a');
  check('all are chosen', (await chosen(page)) === 1024);
  await page.waitForFunction(() => /strongest of/.test(document.querySelector('.foot').textContent));
  await page.locator('.tokens.q li').nth(3).hover();
  await page.click('#tab-matrix');
  await page.waitForFunction(() => document.querySelectorAll('.box').length === 1024);
  check(
    'heatmaps out of sight have no pixels',
    await page.evaluate(
      () => [...document.querySelectorAll('.box canvas:first-child')].filter((c) => c.width > 1 && c.width !== 300).length < 60,
    ),
  );
  for (const tab of TABS) await page.click(`#tab-${tab}`);
  await close(page, 'many');
}

/* What a browser may lack, or ask for. */
async function plain() {
  const page = await context.newPage();
  await page.addInitScript(() => delete window.DecompressionStream);
  await page.goto(`file://${dir}/texts.html`);
  check(
    'without DecompressionStream: a sentence',
    /no DecompressionStream/.test(await page.getByRole('alert').textContent()),
  );
  await page.close();
  const forced = await context.newPage();
  await forced.emulateMedia({ forcedColors: 'active' });
  await forced.goto(`file://${dir}/texts.html#h=0.0,3.1`);
  await forced.waitForFunction(() => window.mhaViz?.timing.all);
  check(
    'forced colours: a token that is meant has an outline',
    await forced.evaluate(() => {
      const li = document.querySelector('.tokens.q li');
      li.classList.add('on');
      return getComputedStyle(li).outlineStyle !== 'none';
    }),
  );
  const lines = await forced.evaluate(() =>
    [...document.querySelectorAll('.tabs [role=tab]')].map((e) => getComputedStyle(e).borderBottomColor),
  );
  check('and the tab that is open a line of its own', new Set(lines).size === 2, lines.join(' '));
  check(
    'whose ground is not chosen twice',
    await forced.evaluate(() => getComputedStyle(document.querySelector('.ground')).display === 'none'),
  );
  await forced.emulateMedia({ media: 'print', forcedColors: 'none' });
  check(
    'on paper: nothing but the figure',
    await forced.evaluate(() => {
      dispatchEvent(new Event('beforeprint'));
      return (
        document.querySelector('.printed svg').getBoundingClientRect().width > 100 &&
        getComputedStyle(document.querySelector('.page')).display === 'none'
      );
    }),
  );
  await forced.close();
}

try {
  for (const part of [heads, tokens, saving, numbers, trace, neuron, compare, hostile, pairs, reached, long, zoom, picture, sink, many, plain]) await part();
} finally {
  await context.close();
  rmSync(profile, { recursive: true, force: true });
}
if (!existsSync(axe)) console.log('axe-core is not installed: accessibility was not checked');
process.exit(failed ? 1 : 0);
