import { agentLink } from "@longarm/contract/agent-link";
import { OwnId } from "@longarm/contract/ids";
import { problems } from "@longarm/contract/problems";
import * as z from "zod/mini";
import type { BusAnswer } from "../../bus/index.ts";
import type { AgentMethod, Asked } from "./asked.ts";

const requests = agentLink.server.requests;
const Candidate = z.object({ candidate: agentLink.server.notifications["rtc.candidate"] });
const limit = z.number().check(z.gte(1), z.lte(60_000));
const Probe = z.object({ probe: OwnId, withinMs: limit });
const Head = z.object({
  method: z.string().check(z.refine((method) => Object.hasOwn(requests, method))),
  data: z.unknown(),
  limitMs: limit,
});

/** What another node wants of an agent whose link is here. */
export type Relayed =
  | {
      readonly is: "candidate";
      readonly data: z.output<(typeof agentLink)["server"]["notifications"]["rtc.candidate"]>;
    }
  /** Whether the machine's link lives. */
  | { readonly is: "probe"; readonly machineId: string; readonly withinMs: number }
  | {
      readonly is: "request";
      readonly method: AgentMethod;
      readonly data: { readonly machineId: string };
      readonly limitMs: number;
    };

/** Reads what another node asks. @throws Error for what no node of this version asks: the other one then knows nothing of its outcome. */
export function parseRelayed(message: unknown): Relayed {
  const candidate = Candidate.safeParse(message);
  if (candidate.success) return { is: "candidate", data: candidate.data.candidate };
  const probe = Probe.safeParse(message);
  if (probe.success) return { is: "probe", machineId: probe.data.probe, withinMs: probe.data.withinMs };
  const { method, data, limitMs } = z.parse(Head, message);
  const name = method as AgentMethod;
  return { is: "request", method: name, data: z.parse(requests[name].input, data), limitMs };
}

const Refused = z.object({
  is: z.literal("refused"),
  refusal: z.object({
    code: z.union([z.number(), z.string()]),
    reason: z.string(),
    params: z.record(z.string(), z.union([z.string(), z.number()])),
    name: z.optional(z.string().check(z.refine((name) => Object.hasOwn(problems, name)))),
  }),
});
const Silent = z.union([z.object({ is: z.literal("nobody") }), z.object({ is: z.literal("unknown") })]);

/** Reads what another node answers for its agent. What cannot be read may have been done. */
export function parseRelayedAnswer<M extends AgentMethod>(
  method: M,
  answer: BusAnswer,
): Asked<z.output<(typeof requests)[M]["output"]>> {
  type Answered = Asked<z.output<(typeof requests)[M]["output"]>>;
  if (answer.is === "nobody") return { is: "nobody" };
  if (answer.is === "unknown") return { is: "unknown", cause: "deadline" };
  const done = z.safeParse(z.object({ is: z.literal("done"), data: requests[method].output }), answer.data);
  if (done.success) return done.data as Answered;
  const refused = z.safeParse(Refused, answer.data);
  if (refused.success) return refused.data as Answered;
  const silent = z.safeParse(Silent, answer.data);
  return silent.success && silent.data.is === "nobody" ? { is: "nobody" } : { is: "unknown", cause: "malformed" };
}
