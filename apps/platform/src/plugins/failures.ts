import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { hasZodFastifySchemaValidationErrors, validatorCompiler } from "fastify-type-provider-zod";
import { sendProblem } from "./problems.ts";

/** An error that Fastify throws carries its HTTP status; any other has none. */
type Thrown = Partial<FastifyError>;

/** Schemas check what comes in; whatever is wrong is answered in the contract's failure body. */
export function answerFailures(app: FastifyInstance): void {
  app.setValidatorCompiler(validatorCompiler);
  app.setErrorHandler((error, request, reply) => answerError(error as Thrown, request, reply));
}

/** Answers whatever was thrown; also for addresses that cannot be read, which reach no route. */
export function answerError(error: Thrown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (hasZodFastifySchemaValidationErrors(error)) {
    const [first] = error.validation;
    return sendProblem(reply, {
      name: "request.invalid",
      detail: `${first?.instancePath ?? ""} ${first?.message ?? ""}`,
    });
  }
  const status = error.statusCode ?? 500;
  if (status < 500) return sendProblem(reply, { name: "request.malformed", detail: error.message ?? "" }, status);
  request.log.error({ err: error }, "a request failed on our side");
  return reply
    .code(status)
    .header("cache-control", "no-store")
    .send({ code: status, ErrorMessage: "The request failed on our side, please try again" });
}
