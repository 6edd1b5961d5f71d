import type { Envelope } from "@longarm/contract/envelope";
import type { RequestSpec, RequestTable } from "@longarm/contract/methods";
import * as z from "zod/mini";
import type { Handled } from "./answer.ts";
import { refusalFields, refused } from "./answer.ts";
import { firstIssue } from "./first-issue.ts";
import type { PeerLog } from "./peer-log.ts";

type AnyHandler = (input: unknown) => Handled<unknown> | Promise<Handled<unknown>>;

export type Answering = {
  readonly requests: RequestTable;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** Requests that may be open at once. */
  readonly openMax: number;
  readonly send: (envelope: Envelope) => void;
  /** Told how many are being answered, whenever that changes; 0 only after the last answer was sent. */
  readonly answering?: ((open: number) => void) | undefined;
  readonly log: PeerLog;
};

/** Answers the other end's requests: each exactly once, whatever its handler does. */
export function answerRequests({ requests, handlers, openMax, send, answering, log }: Answering) {
  let open = 0;
  let unanswered = 0;

  async function handle(spec: RequestSpec, method: string, data: unknown): Promise<Handled<unknown>> {
    const input = z.safeParse(spec.input, data ?? {});
    if (!input.success) return refused("request.malformed", { detail: firstIssue(method, input.error) });
    if (open >= openMax) return refused("request.too_many", { params: { seconds: 1 } });
    open += 1;
    try {
      return (await handlers[method]?.(input.data)) ?? refused("request.malformed");
    } catch (error) {
      log(`The handler of ${method} failed.`, error);
      return refused("request.invalid", { detail: `${method} failed on our side` });
    } finally {
      open -= 1;
    }
  }

  return async (id: number, method: string, data: unknown): Promise<void> => {
    const spec = Object.hasOwn(requests, method) ? requests[method] : undefined;
    unanswered += 1;
    answering?.(unanswered);
    const handled =
      spec === undefined
        ? refused("request.malformed", { detail: `There is no request "${method}" here` })
        : await handle(spec, method, data);
    if (handled.is === "done") send({ response: true, id, ok: true, data: handled.data });
    else send({ response: true, id, ok: false, ...refusalFields(handled.problem) });
    unanswered -= 1;
    answering?.(unanswered);
  };
}
