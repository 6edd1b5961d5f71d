const STAP_A = 24;
const FU_A = 28;
const SPS = 7;

/** Whether an RTP payload is the first of a picture that needs none before it. */
export function beginsKeyPicture(payload: Buffer, codec: "h264" | "vp8"): boolean {
  return codec === "h264" ? beginsKeyH264(payload) : beginsKeyVp8(payload);
}

/** RFC 6184. Every key frame of ours carries its SPS. */
function beginsKeyH264(payload: Buffer): boolean {
  const type = (payload[0] ?? 0) & 0x1f;
  if (type === STAP_A) return ((payload[3] ?? 0) & 0x1f) === SPS;
  return type === SPS;
}

/** RFC 7741. */
function beginsKeyVp8(payload: Buffer): boolean {
  const first = payload[0] ?? 0;
  if ((first & 0x10) === 0 || (first & 0x0f) !== 0) return false;
  let at = 1;
  if ((first & 0x80) !== 0) {
    const more = payload[1] ?? 0;
    at = 2;
    if ((more & 0x80) !== 0) at += ((payload[at] ?? 0) & 0x80) !== 0 ? 2 : 1;
    if ((more & 0x40) !== 0) at += 1;
    if ((more & 0x30) !== 0) at += 1;
  }
  return at < payload.length && ((payload[at] ?? 1) & 1) === 0;
}

/** The access unit in Annex B of one H.264 picture's payloads, for a decoder. */
export function annexB(payloads: readonly Buffer[]): Buffer {
  const start = Buffer.from([0, 0, 0, 1]);
  const out: Buffer[] = [];
  for (const payload of payloads) {
    const first = payload[0] ?? 0;
    const type = first & 0x1f;
    if (type === STAP_A) {
      for (let at = 1; at + 2 < payload.length; ) {
        const bytes = payload.readUInt16BE(at);
        out.push(start, payload.subarray(at + 2, at + 2 + bytes));
        at += 2 + bytes;
      }
    } else if (type === FU_A) {
      const second = payload[1] ?? 0;
      if ((second & 0x80) !== 0) out.push(start, Buffer.from([(first & 0xe0) | (second & 0x1f)]));
      out.push(payload.subarray(2));
    } else out.push(start, payload);
  }
  return Buffer.concat(out);
}
