import * as z from "zod/mini";
import type { AskRegister } from "./keeper.ts";

/** Where the register is, and who we are to it. */
export type SpelpausConfig = {
  /** Its address without a path, `https://api.spelpaus.se`. */
  readonly url: string;
  /** Our number as a licence holder. */
  readonly actorId: string;
  readonly key: string;
};

/** The whole of one question, ms. */
const ASK_MS_MAX = 8_000;
/** A longer answer is none of the register's. */
const ANSWER_BYTES_MAX = 4_096;
/** Swedish personal numbers have twelve digits. */
const PERSONAL_NUMBER = /^\d{12}$/;

const Answer = z.object({
  isBlocked: z.boolean(),
  requestId: z.string(),
  responseId: z.optional(z.nullable(z.union([z.string().check(z.maxLength(100)), z.number()]))),
});

/**
 * Questions Sweden's register for a sign-in (Spelpaus, POST api/blocking-info/{actorId}). Every answer but one that is whole, and about this very
 * request, is an error: wrong key (401), wrong body (400), any other status, a redirect, no JSON, an answer to another request, no answer in time. About a player whose personal number is not known, or has not twelve digits, nothing is sent.
 */
export function spelpaus({ url, actorId, key }: SpelpausConfig): AskRegister {
  const address = new URL(`/api/blocking-info/${encodeURIComponent(actorId)}`, url);
  return async ({ personalNumber, requestId }, signal) => {
    if (personalNumber === null || !PERSONAL_NUMBER.test(personalNumber)) return null;
    try {
      const reply = await fetch(address, {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": "application/json", accept: "application/json", authorization: key },
        body: JSON.stringify({ requestId, subjectId: personalNumber }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(ASK_MS_MAX)]),
      });
      if (reply.status !== 200) {
        await reply.body?.cancel().catch(() => undefined);
        return failed(`the register answered ${reply.status}`);
      }
      const read = Answer.safeParse(JSON.parse(await textOf(reply)));
      if (!read.success) return failed("the answer is none that the register's document knows");
      const { isBlocked, requestId: echoed, responseId } = read.data;
      if (echoed !== requestId) return failed("the answer is about another request");
      const answer = isBlocked ? "excluded" : "clear";
      return { answer, ...(responseId && { responseId: String(responseId) }) };
    } catch (error) {
      return failed(causeOf(error));
    }
  };
}

const failed = (cause: string) => ({ answer: "error" as const, cause: cause.slice(0, 200) });

class TooLong extends Error {}

/** @throws TooLong */
async function textOf(reply: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of reply.body ?? []) {
    bytes += part.byteLength;
    if (bytes > ANSWER_BYTES_MAX) throw new TooLong("the answer is too long");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** Never the text of an error of the network library: it may hold the address. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return "failed";
  if (error.name === "TimeoutError") return "no answer in time";
  if (error.name === "AbortError") return "the platform ended meanwhile";
  if (error instanceof TooLong) return error.message;
  if (error instanceof SyntaxError) return "the answer is no JSON";
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "failed";
}
