const ID_BYTES = 12;
const IDS_A_DRAW = 256;

/**
 * Creates a source of call ids: 96 random bits in hex. Randomness is drawn for many at once, because each draw costs
 * more than an id.
 */
export function createCallIds(randomBytes: (size: number) => Uint8Array): () => string {
  let drawn = '';
  let used = 0;
  return () => {
    if (used >= drawn.length) {
      drawn = Buffer.from(randomBytes(ID_BYTES * IDS_A_DRAW)).toString('hex');
      used = 0;
    }
    const id = drawn.slice(used, used + 2 * ID_BYTES);
    used += 2 * ID_BYTES;
    return id;
  };
}
