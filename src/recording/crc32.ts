const TABLE = Int32Array.from({ length: 256 }, (_, k) => {
  let c = k;
  for (let bit = 0; bit < 8; bit++) c = (c >>> 1) ^ (c & 1 ? 0xedb88320 : 0);
  return c;
});

/** The checksum of zip and PNG, eight hexadecimal digits: it sees every change of up to 32 bits in a row. */
export function crc32(bytes: Uint8Array): string {
  let c = -1;
  for (const byte of bytes) c = (c >>> 8) ^ TABLE[(c ^ byte) & 0xff];
  return (~c >>> 0).toString(16).padStart(8, '0');
}
