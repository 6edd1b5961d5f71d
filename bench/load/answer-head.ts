/** What a caller needs of the head of an HTTP/1.1 answer. */
export type AnswerHead = { readonly status: number /** Head and body, bytes. */; readonly bytes: number };

const LENGTH = "\r\ncontent-length: ";

/**
 * Reads the head of an answer from text of one byte a letter; undefined: it is not whole yet. Only what servers of ours send is understood: a
 * length must be told. @throws Error without one.
 */
export function answerHead(text: string): AnswerHead | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const at = text.toLowerCase().lastIndexOf(LENGTH, end);
  const length = Number.parseInt(text.slice(at + LENGTH.length, at + LENGTH.length + 10), 10);
  if (at < 0 || Number.isNaN(length)) throw new Error(`An answer has no length: ${text.slice(0, end)}`);
  return { status: Number(text.slice(9, 12)), bytes: end + 4 + length };
}
