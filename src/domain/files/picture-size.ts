/** The pixels of a picture, as its header says. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

type Reader = (bytes: Buffer) => PictureSize | undefined;

const READERS: Readonly<Record<string, Reader>> = {
  'image/png': png,
  'image/gif': (bytes) => at(bytes, 10, () => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) })),
  'image/jpeg': jpeg,
  'image/webp': webp,
};

/** Reads the size of a picture from its header. No pixel is decoded. Undefined: another type, or no valid header. */
export function pictureSize(mediaType: string, bytes: Buffer): PictureSize | undefined {
  const size = READERS[mediaType]?.(bytes);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

function at(bytes: Buffer, length: number, read: () => PictureSize | undefined): PictureSize | undefined {
  return bytes.length >= length ? read() : undefined;
}

function png(bytes: Buffer): PictureSize | undefined {
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return at(bytes, 24, () => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }));
}

/** Markers without a length: fill bytes, restarts and the start of the picture. */
const isBare = (marker: number) => marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

/** The segments that describe a frame. The others of this range are tables. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Segments before the frame: a picture has some tables and its metadata. */
const MOST_SEGMENTS = 1_000;

function jpeg(bytes: Buffer): PictureSize | undefined {
  let place = 2;
  for (let segments = 0; segments < MOST_SEGMENTS && place + 9 <= bytes.length; segments += 1) {
    if (bytes[place] !== 0xff) return undefined;
    const marker = bytes[place + 1] as number;
    if (isFrame(marker)) return { width: bytes.readUInt16BE(place + 7), height: bytes.readUInt16BE(place + 5) };
    if (isBare(marker)) place += marker === 0xff ? 1 : 2;
    else place += 2 + bytes.readUInt16BE(place + 2);
  }
  return undefined;
}

function webp(bytes: Buffer): PictureSize | undefined {
  return at(bytes, 30, () => {
    const form = bytes.toString('latin1', 12, 16);
    if (form === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    if (form === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    if (form !== 'VP8L') return undefined;
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  });
}
