/**
 * Returns a Linux executable without the symbols that only a debugger reads, as `strip` does. Works for any processor, and does not move
 * the program itself.
 * @param octets a 64-bit ELF file
 */
export function withoutSymbols(octets) {
  const isElf = octets.toString('latin1', 0, 4) === '\x7fELF' && octets[4] === 2 && octets[5] === 1;
  if (!isElf) throw new Error('not a 64-bit ELF file');
  const sections = sectionsOf(octets);
  const dropped = new Set(sections.filter(isForDebuggers));
  const kept = sections.filter((each) => !dropped.has(each));
  const numbers = new Map(kept.map((each, index) => [sections.indexOf(each), index]));
  const loaded = kept.filter(({ flags, type }) => (flags & ALLOCATED) !== 0n && type !== NO_BITS);
  const end = Math.max(...loaded.map(({ offset, size }) => offset + size));
  const parts = [octets.subarray(0, end)];
  let at = end;
  const append = (part) => {
    const gap = Buffer.alloc(-at & 7);
    parts.push(gap, part);
    at += gap.length + part.length;
    return at - part.length;
  };
  for (const each of kept)
    if (each.type !== NO_BITS && each.offset >= end)
      each.offset = append(octets.subarray(each.offset, each.offset + each.size));
  const table = Buffer.concat(kept.map((each) => headerOf(each, numbers)));
  const head = Buffer.from(octets.subarray(0, 64));
  head.writeBigUInt64LE(BigInt(append(table)), 40);
  head.writeUInt16LE(kept.length, 60);
  head.writeUInt16LE(numbers.get(head.readUInt16LE(62)), 62);
  parts[0] = Buffer.concat([head, parts[0].subarray(64)]);
  return Buffer.concat(parts);
}

const ALLOCATED = 2n;
const NO_BITS = 8;
const SYMBOLS = 2;
const TEXTS = 3;

function sectionsOf(octets) {
  const start = Number(octets.readBigUInt64LE(40));
  const count = octets.readUInt16LE(60);
  const sections = Array.from({ length: count }, (_, index) => {
    const header = octets.subarray(start + index * 64, start + (index + 1) * 64);
    return {
      header,
      name: header.readUInt32LE(0),
      type: header.readUInt32LE(4),
      flags: header.readBigUInt64LE(8),
      offset: Number(header.readBigUInt64LE(24)),
      size: Number(header.readBigUInt64LE(32)),
      link: header.readUInt32LE(40),
    };
  });
  const names = sections[octets.readUInt16LE(62)];
  for (const each of sections) {
    const from = names.offset + each.name;
    each.title = octets.toString('latin1', from, octets.indexOf(0, from));
    each.isNames = each === names;
  }
  return sections;
}

function isForDebuggers({ title, type, flags, isNames }) {
  if ((flags & ALLOCATED) !== 0n || isNames) return false;
  return type === SYMBOLS || (type === TEXTS && title === '.strtab') || title.startsWith('.debug');
}

/** Returns the header of a section with its new offset, and with the new number of the section that it links to. */
function headerOf({ header, offset, link }, numbers) {
  const copy = Buffer.from(header);
  copy.writeBigUInt64LE(BigInt(offset), 24);
  copy.writeUInt32LE(numbers.get(link) ?? 0, 40);
  return copy;
}
