/** Makes archives whose bytes depend only on their entries, and not on the clock, the user or the umask. */
import { crc32, deflateRawSync, gunzipSync, gzipSync } from 'node:zlib';

/**
 * Returns a tar archive in the order of the entries, with root as the owner.
 * @param entries each a file `{ path, data, mode }`, a link `{ path, link }` or a folder `{ path: 'usr/', mode }`
 * @param seconds the modification time of every file
 */
export function tarOf(entries, seconds) {
  const blocks = entries.flatMap((entry) => {
    const data = Buffer.from(entry.data ?? '');
    return [headOf(entry, data.length, seconds), data, Buffer.alloc(-data.length & 511)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

function headOf({ path, mode = 0o644, link }, size, seconds) {
  const head = Buffer.alloc(512);
  const octal = (value, at, width) => head.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at);
  const [prefix, name] = splitPath(path);
  head.write(name, 0);
  octal(link === undefined ? mode : 0o777, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(seconds, 136, 12);
  head.write(link !== undefined ? '2' : path.endsWith('/') ? '5' : '0', 156);
  head.write(link ?? '', 157);
  head.write('ustar\x0000root', 257);
  head.write('root', 297);
  head.write(prefix, 345);
  head.fill(' ', 148, 156);
  octal(
    head.reduce((sum, octet) => sum + octet, 0),
    148,
    7,
  );
  return head;
}

/** Splits a path into its first folders and the rest. The format has 155 bytes for the folders, and 100 for the rest. */
function splitPath(path) {
  if (path.length <= 100) return ['', path];
  const at = path.indexOf('/', path.length - 101);
  if (at === -1 || at > 155) throw new Error(`${path} is too long for a tar archive`);
  return [path.slice(0, at), path.slice(at + 1)];
}

/** Returns the files of a tar archive, each with its path, mode and data. */
export function filesOf(tar) {
  const files = [];
  let longPath;
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0; ) {
    const text = (from, length) => tar.toString('utf8', at + from, at + from + length).replace(/\0.*$/s, '');
    const size = Number.parseInt(text(124, 12), 8);
    const data = tar.subarray(at + 512, at + 512 + size);
    const kind = text(156, 1);
    const prefix = text(345, 155);
    if (kind === 'x') longPath = /\d+ path=(.*)\n/.exec(data.toString())?.[1];
    else {
      const path = longPath ?? (prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`);
      if (kind === '0' || kind === '') files.push({ path, mode: Number.parseInt(text(100, 8), 8), data });
      longPath = undefined;
    }
    at += 512 + size + (-size & 511);
  }
  return files;
}

export const readTgz = (octets) => filesOf(gunzipSync(octets));

/** Returns the compressed bytes. Marks the system in the gzip header as unknown, so that all systems give the same bytes. */
export function gzipped(octets, level = 9) {
  const zipped = gzipSync(octets, { level });
  zipped[9] = 255;
  return zipped;
}

/** Returns a zip archive, in the form that Scoop unpacks. */
export function zipOf(entries, seconds) {
  const time = new Date(seconds * 1000);
  const day = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  const bodies = [];
  const list = [];
  let at = 0;
  for (const { path, data, mode = 0o644 } of entries) {
    const octets = Buffer.from(data);
    const packed = deflateRawSync(octets);
    const shared = Buffer.alloc(26);
    for (const [index, value] of [20, 0, 8, clock, day].entries()) shared.writeUInt16LE(value, index * 2);
    for (const [index, value] of [crc32(octets), packed.length, octets.length].entries())
      shared.writeUInt32LE(value, 10 + index * 4);
    shared.writeUInt16LE(path.length, 22);
    const name = Buffer.from(path);
    const body = Buffer.concat([signature(0x04034b50), shared, name, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((0o100000 | mode) << 16) >>> 0, 6);
    rest.writeUInt32LE(at, 10);
    list.push(Buffer.concat([signature(0x02014b50), Buffer.from([20, 3]), shared, rest, name]));
    bodies.push(body);
    at += body.length;
  }
  const index = Buffer.concat(list);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(list.length, 4);
  end.writeUInt16LE(list.length, 6);
  end.writeUInt32LE(index.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...bodies, index, signature(0x06054b50), end]);
}

function signature(value) {
  const octets = Buffer.alloc(4);
  octets.writeUInt32LE(value);
  return octets;
}

/** Returns an `ar` archive, which is the format of a Debian package. */
export function arOf(entries, seconds) {
  const parts = entries.flatMap(({ path, data }) => {
    const octets = Buffer.from(data);
    const head = [
      path.padEnd(16),
      `${seconds}`.padEnd(12),
      '0     0     100644  ',
      `${octets.length}`.padEnd(10),
    ];
    return [Buffer.from(`${head.join('')}\`\n`), octets, Buffer.alloc(octets.length & 1, '\n')];
  });
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts]);
}
