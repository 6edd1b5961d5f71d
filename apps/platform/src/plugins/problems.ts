import type { Failure } from "@longarm/contract/http";
import type { Problem } from "@longarm/contract/problems";
import { problems } from "@longarm/contract/problems";
import type { FastifyReply } from "fastify";

/** The contract's failure body of a problem. `detail` is for the log and never sent. */
export function failureOf({ name, params }: Problem): Failure {
  const { code, text } = problems[name];
  const ErrorMessage = text.replaceAll(/\{(\w+)\}/g, (whole, key: string) => String(params?.[key] ?? whole));
  return { code, ErrorMessage, ...(params && { Params: { ...params } }) };
}

/** Answers a refusal. The text is English; a web chooses its own by code. `httpStatus` replaces that of the catalogue. */
export function sendProblem(
  reply: FastifyReply,
  problem: Problem,
  httpStatus: number = problems[problem.name].httpStatus,
): FastifyReply {
  if (problem.detail !== undefined) reply.log.info({ problem: problem.name, detail: problem.detail }, "refused");
  if (problem.name === "request.too_many") void reply.header("retry-after", String(problem.params?.["seconds"] ?? 1));
  return reply.code(httpStatus).header("cache-control", "no-store").send(failureOf(problem));
}
