import type { WalletCall, WalletRequests } from "@longarm/contract/remote-wallet";
import { WALLET_ANSWER_BYTES_MAX, WALLET_ANSWER_MS, WalletAnswers } from "@longarm/contract/remote-wallet";
import type * as z from "zod/mini";
import type { Clock } from "../../clock.ts";
import type { Random } from "../../random.ts";
import { newId } from "../../random.ts";
import { signatureOf } from "../talk/outbox/index.ts";

/** Where the operator's wallet is, and the secrets that sign what we ask: `whsec_…`, the newest first. */
export type WalletAddress = { readonly url: string; readonly secrets: readonly string[] };

type Request<Call extends WalletCall> = z.input<(typeof WalletRequests)[Call]>;
type Answer<Call extends WalletCall> = z.output<(typeof WalletAnswers)[Call]>;

/** The answer, or why there is none that counts: then nothing is known of what the operator's wallet has done. */
export type Said<Call extends WalletCall> =
  | { readonly is: "said"; readonly answer: Answer<Call> }
  | { readonly is: "nothing"; readonly why: string };

/** Asks the operator's wallet once. Never throws. */
export type Ask = <Call extends WalletCall>(call: Call, body: Request<Call>) => Promise<Said<Call>>;

/** A redirect is not followed, a long answer is not read, and an answer that is not of the contract is none. */
export function operatorWallet(
  { url, secrets }: WalletAddress,
  {
    clock,
    random,
    signal,
  }: { readonly clock: Pick<Clock, "now">; readonly random: Random; readonly signal: AbortSignal },
): Ask {
  const base = url.endsWith("/") ? url : `${url}/`;
  return async (call, given) => {
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
        signal: AbortSignal.any([signal, AbortSignal.timeout(WALLET_ANSWER_MS)]),
      });
      if (response.status !== 200) {
        await response.body?.cancel();
        return { is: "nothing", why: `HTTP ${response.status}` };
      }
      const read = WalletAnswers[call].safeParse(JSON.parse(await shortText(response)));
      if (!read.success) return { is: "nothing", why: "an answer that is not of the contract" };
      return { is: "said", answer: read.data as Answer<typeof call> };
    } catch (error) {
      return { is: "nothing", why: failureOf(error) };
    }
  };
}

/** @throws Where the answer is too long. */
async function shortText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > WALLET_ANSWER_BYTES_MAX) throw new Error("an answer that is too long");
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
