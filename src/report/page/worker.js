/* SPDX-License-Identifier: MIT
   The program in a worker of the page of `report --live`: it starts the module (module/page.h) and
   answers live.js.  The page's files are in the module's memory; there are no others.

       { module, size }                the module, deflated, in base64
       { open: path, size, keep }      a file begins; { piece, packed }: the next of its bytes, in
                                       base64 or as a Blob; keep: whole -> { kept: path, blob }
       { options, texts }              how reports are made, and texts to begin with -> { ready }
       { picture, width, height, rgb } a file of that name, in place of the picture before it; reports
                                       are of it, not of texts
       { ask, texts, generate }        a report of them            -> { ask, blocks } or { ask, why }
                                       continued by so many tokens -> { step } after each
       { run, words }                  stats                       -> { run, status, out, why } */
'use strict';
const BAD_FD = 8,
  NO_ENTRY = 44,
  FOLDER = 3,
  FILE = 4,
  ROOT = 3; /* of WASI; the folder that all paths begin at */
const files = new Map(); /* path -> { at, size, filled } in the module's memory */
let compiled, exported, blocks, printed;

const bytes = () => new Uint8Array(exported.memory.buffer);
const view = () => new DataView(exported.memory.buffer);
const textAt = (at, n) => new TextDecoder().decode(bytes().slice(at, at + n));

/* ---- what the module asks of its system ---- */

let open = []; /* by descriptor, from ROOT + 1 on: { path, place } */

const isFolder = (path) => path === '' || [...files.keys()].some((f) => f.startsWith(`${path}/`));
const namesIn = (path) => {
  const from = path === '' ? '' : `${path}/`;
  const below = [...files.keys()].filter((f) => f.startsWith(from));
  return [...new Set(below.map((f) => f.slice(from.length).split('/')[0]))];
};
const cleaned = (path) => path.split('/').filter((part) => part !== '' && part !== '.').join('/');
const known = (path) => files.has(path) || isFolder(path);
const at = (fd) => (fd === ROOT ? { path: '', place: 0 } : open[fd]);

function writeStat(to, path) {
  const file = files.get(path),
    v = view();
  bytes().fill(0, to, to + 64);
  v.setBigUint64(to + 8, BigInt([...files.keys()].indexOf(path) + 2), true);
  v.setUint8(to + 16, file ? FILE : FOLDER);
  v.setBigUint64(to + 32, BigInt(file?.size ?? 0), true);
  return 0;
}

/* Each buffer of a list of them: call(start, size). */
function eachBuffer(list, n, call) {
  for (let i = 0; i < n; i++)
    call(view().getUint32(list + 8 * i, true), view().getUint32(list + 8 * i + 4, true));
}

const system = {
  fd_write(fd, list, n, done) {
    let size = 0;
    if (fd !== 1 && fd !== 2) return BAD_FD;
    eachBuffer(list, n, (start, count) => {
      printed[fd].push(bytes().slice(start, start + count));
      size += count;
    });
    view().setUint32(done, size, true);
    return 0;
  },
  fd_read(fd, list, n, done) {
    const one = at(fd),
      file = one && files.get(one.path);
    let size = 0;
    if (!file) return BAD_FD;
    eachBuffer(list, n, (start, room) => {
      const count = Math.min(room, file.size - one.place);
      bytes().copyWithin(start, file.at + one.place, file.at + one.place + count);
      one.place += count;
      size += count;
    });
    view().setUint32(done, size, true);
    return 0;
  },
  fd_seek(fd, offset, whence, to) {
    const one = at(fd),
      file = one && files.get(one.path);
    if (!file) return BAD_FD;
    one.place = Number(offset) + [0, one.place, file.size][whence];
    view().setBigUint64(to, BigInt(one.place), true);
    return 0;
  },
  fd_tell: (fd, to) => system.fd_seek(fd, 0n, 1, to),
  fd_close: (fd) => (delete open[fd] ? 0 : BAD_FD),
  fd_fdstat_get(fd, to) {
    if (fd > 2 && !at(fd)) return BAD_FD;
    bytes().fill(0, to, to + 8).fill(255, to + 8, to + 24);
    view().setUint8(to, fd < ROOT || files.has(at(fd).path) ? FILE : FOLDER);
    return 0;
  },
  fd_filestat_get: (fd, to) => (at(fd) ? writeStat(to, at(fd).path) : BAD_FD),
  fd_prestat_get(fd, to) {
    if (fd !== ROOT) return BAD_FD;
    view().setUint32(to, 0, true);
    view().setUint32(to + 4, 1, true);
    return 0;
  },
  fd_prestat_dir_name(fd, to) {
    bytes()[to] = 47;
    return 0;
  },
  fd_readdir(fd, to, room, cookie, used) {
    const all = bytes().subarray(to, to + room);
    let n = 0;
    if (!at(fd)) return BAD_FD;
    namesIn(at(fd).path).forEach((name, i) => {
      const letters = new TextEncoder().encode(name),
        entry = new Uint8Array(24 + letters.length);
      if (i < Number(cookie)) return;
      new DataView(entry.buffer).setBigUint64(0, BigInt(i + 1), true);
      new DataView(entry.buffer).setUint32(16, letters.length, true);
      entry[20] = FILE;
      entry.set(letters, 24);
      all.set(entry.subarray(0, room - n), n);
      n += Math.min(entry.length, room - n);
    });
    view().setUint32(used, n, true);
    return 0;
  },
  path_filestat_get(fd, flags, name, n, to) {
    const path = cleaned(textAt(name, n));
    return known(path) ? writeStat(to, path) : NO_ENTRY;
  },
  path_open(fd, lookup, name, n, how, rights, inherited, flags, to) {
    const path = cleaned(textAt(name, n));
    let next = ROOT + 1;
    if (!known(path)) return NO_ENTRY;
    while (open[next]) next++;
    open[next] = { path, place: 0 };
    view().setUint32(to, next, true);
    return 0;
  },
  environ_sizes_get(n, size) {
    view().setUint32(n, 0, true);
    view().setUint32(size, 0, true);
    return 0;
  },
  environ_get: () => 0,
  clock_time_get(clock, precision, to) {
    view().setBigUint64(to, BigInt(Math.round(performance.now() * 1e6)), true);
    return 0;
  },
  proc_exit(status) {
    throw new Error(`the program ended with status ${status}`);
  },
};

const page = {
  map: (fd) => files.get(at(fd)?.path)?.at ?? -1,
  block(kind, number, start, n) {
    const name = String.fromCharCode(kind) + (kind === 116 ? '' : number);
    (blocks[name] ??= []).push(bytes().slice(start, start + n));
  },
  step: (step) => postMessage({ step }),
};

/* ---- the module ---- */

async function decode(letters, packed) {
  if (letters instanceof Blob) return new Uint8Array(await letters.arrayBuffer());
  const raw = Uint8Array.fromBase64
    ? Uint8Array.fromBase64(letters)
    : Uint8Array.from(atob(letters), (c) => c.charCodeAt(0));
  if (!packed) return raw;
  const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function start() {
  const given = { page, wasi_snapshot_preview1: system },
    imports = {};
  for (const { module, name } of WebAssembly.Module.imports(compiled))
    (imports[module] ??= {})[name] = given[module]?.[name] ?? (() => BAD_FD);
  open = [];
  exported = (await WebAssembly.instantiate(compiled, imports)).exports;
  exported._initialize();
}

/* Room in the module's memory. */
function take(n) {
  const place = exported.take(Math.max(n, 1)) >>> 0;
  if (!place) throw new Error('there is no memory for the model');
  return place;
}

/* A list of words as C has them, of which nothing is given back: call(argc, argv). */
function withWords(words, call) {
  const encoded = words.map((word) => new TextEncoder().encode(`${word}\0`)),
    size = encoded.reduce((sum, word) => sum + word.length, 0);
  const table = take(4 * (words.length + 1) + size);
  let place = table + 4 * (words.length + 1);
  view().setUint32(table + 4 * words.length, 0, true);
  encoded.forEach((word, i) => {
    view().setUint32(table + 4 * i, place, true);
    bytes().set(word, place);
    place += word.length;
  });
  return { status: call(words.length, table), table };
}
function calledWith(words, call) {
  const { status, table } = withWords(words, call);
  exported.drop(table);
  return status;
}
function complaint() {
  const from = exported.complaint() >>> 0;
  return textAt(from, bytes().indexOf(0, from) - from);
}
const joined = (parts) => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((place, part) => (all.set(part, place), place + part.length), 0);
  return all;
};

/* The file of the picture; it follows each time, before what is asked of it. */
let pictured = '';
function takePicture(name, width, height, rgb) {
  const size = 8 + rgb.length;
  exported.drop(files.get(pictured)?.at ?? 0);
  files.delete(pictured);
  pictured = name;
  files.set(pictured, { at: take(size), size, filled: size });
  const { at: place } = files.get(pictured);
  view().setUint32(place, width, true);
  view().setUint32(place + 4, height, true);
  bytes().set(rgb, place + 8);
  calledWith([pictured], (n, table) => exported.picture(view().getUint32(table, true)));
}

/* After a fault, memory and all: a new instance, with the files of the old one. */
let options = [];
async function startAgain() {
  const old = bytes();
  files.delete(pictured);
  await start();
  for (const file of files.values()) {
    const place = take(file.size);
    bytes().set(old.subarray(file.at, file.at + file.size), place);
    file.at = place;
  }
  withWords(options, exported.options);
}

/* Into blocks; its exit status. */
function report(texts, generate = 0) {
  blocks = {};
  printed = [[], [], []];
  return calledWith(texts, (n, table) => exported.answer(n, table, generate));
}

/* ---- messages ---- */

let writing = null; /* the file whose pieces come */

const answers = {
  async module({ module }) {
    const code = await decode(module, true);
    try {
      compiled = await WebAssembly.compile(code);
    } catch (error) {
      throw new Error(`this browser does not run its module, which has vectors, SIMD (${error.message})`);
    }
    await start();
  },
  open({ open: path, size, keep }) {
    writing = { path, at: take(size), size, keep, filled: 0 };
    files.set(path, writing);
    if (keep && size === 0) postMessage({ kept: path, blob: new Blob([]) });
  },
  async piece({ piece, packed }) {
    const part = await decode(piece, packed);
    bytes().set(part, writing.at + writing.filled);
    writing.filled += part.length;
    if (writing.keep && writing.filled === writing.size)
      postMessage({
        kept: writing.path,
        blob: new Blob([bytes().subarray(writing.at, writing.at + writing.size)]),
      });
  },
  /* The first report opens the model, which takes the longest. */
  options(message) {
    ({ options } = message);
    withWords(options, exported.options);
    postMessage(report(message.texts) ? { why: complaint() } : { ready: true });
  },
  picture({ picture, width, height, rgb }) {
    takePicture(picture, width, height, rgb);
  },
  ask({ ask, texts, generate }) {
    const from = performance.now();
    if (report(texts, generate)) {
      postMessage({ ask, why: complaint() });
      return;
    }
    for (const name of Object.keys(blocks)) blocks[name] = joined(blocks[name]).buffer;
    postMessage({ ask, blocks, took: performance.now() - from }, Object.values(blocks));
  },
  run({ run, words }) {
    printed = [[], [], []];
    const status = calledWith(words, exported.command);
    const [, out, notes] = printed.map((parts) => new TextDecoder().decode(joined(parts)));
    postMessage({ run, status, out, notes, why: status ? complaint() : '' });
  },
};

async function answer(message) {
  const kind = Object.keys(answers).find((key) => key in message);
  try {
    await answers[kind](message);
  } catch (error) {
    postMessage({ ask: message.ask, run: message.run, why: error.message, fault: true });
    if (kind === 'ask' || kind === 'run') await startAgain();
  }
}
let last = Promise.resolve();
onmessage = ({ data }) => {
  last = last.then(() => answer(data));
};
