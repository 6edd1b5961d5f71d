import { signatureOf } from "@longarm/link/standard-webhooks";
import type * as z from "zod/mini";
import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";
import { newId } from "./random.ts";

/* Messages by Standard Webhooks 1.0: the body of one that came, and calls of systems that the operator names. */

/** The JSON of a body that came as bytes; undefined: it is none. */
export function jsonOf(body: unknown): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body as Buffer));
  } catch {
    return undefined;
  }
}

/** A system of the operator, and the secrets that sign our calls: `whsec_…`, the newest first. */
export type SignedAddress = { readonly url: string; readonly secrets: readonly string[] };

/** An answer, or why there is none that counts: then nothing is known of what the other side has done. */
export type Said<Answer> =
  | { readonly is: "said"; readonly answer: Answer }
  | { readonly is: "nothing"; readonly why: string };

/** What a caller needs. `signal`: ends every call. */
export type CallerParts = {
  readonly clock: Pick<Clock, "now">;
  readonly random: Random;
  readonly signal: AbortSignal;
};
type Limits = { readonly answerMs: number; readonly bytesMax: number };

/** Makes one signed call by POST below an address. Never throws. */
type SignedCall = <Schema extends z.ZodMiniType>(
  call: string,
  body: object,
  schema: Schema,
) => Promise<Said<z.output<Schema>>>;

/** A redirect is not followed, a long answer is not read, and an answer that is not of the schema is none. */
export function signedCaller(
  { url, secrets }: SignedAddress,
  { clock, random, signal }: CallerParts,
  { answerMs, bytesMax }: Limits,
): SignedCall {
  const base = url.endsWith("/") ? url : `${url}/`;
  return async (call, given, schema) => {
    const [id, body, timestampS] = [newId(random, "wc"), JSON.stringify(given), Math.floor(clock.now() / 1_000)];
    try {
      const response = await fetch(new URL(call, base), {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "webhook-id": id,
          "webhook-timestamp": String(timestampS),
          "webhook-signature": signatureOf(secrets, id, timestampS, body),
        },
        body,
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
      });
      if (response.status !== 200) {
        await response.body?.cancel();
        return { is: "nothing", why: `HTTP ${response.status}` };
      }
      const read = schema.safeParse(JSON.parse(await shortText(response, bytesMax)));
      if (!read.success) return { is: "nothing", why: "an answer that is not of the contract" };
      return { is: "said", answer: read.data };
    } catch (error) {
      return { is: "nothing", why: failureOf(error) };
    }
  };
}

/** @throws Where the answer is too long. */
async function shortText(response: Response, bytesMax: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > bytesMax) throw new Error("an answer that is too long");
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return "failed";
  if (error.name === "TimeoutError") return "no answer in time";
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  return (typeof code === "string" ? code : error.message).slice(0, 200);
}
