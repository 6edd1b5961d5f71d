import type {} from "@fastify/compress";
import type { SignedInAnswer } from "@longarm/contract/http";
import { calls } from "@longarm/contract/http";
import { CODE_OK } from "@longarm/contract/problems";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { callLimit } from "../../../plugins/limits.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Player } from "../../players/index.ts";
import type { LoginDeps } from "./login.ts";
import { checkLogin } from "./login.ts";
import type { RefusedSignIn } from "./tell-sign-in.ts";

const KEPT_OUT = { is: "refused", problem: { name: "auth.ip_not_permitted" } } as const;
/** The password was right, and changed before anybody was signed in. */
const CHANGED = { name: "auth.wrong" } as const;
/** Larger than any name and password; a larger body is refused before it is read. */
const BODY_BYTES_MAX = 4_096;

export type LoginRoute = {
  readonly check: LoginDeps;
  /** True for a visitor who may not sign in from where they are. */
  isBlocked(visitor: FastifyRequest): boolean;
  signIn(player: Player, address: string): Promise<SignedInAnswer | undefined>;
  /** Writes a refusal to the audit log. */
  tell(refused: RefusedSignIn): Promise<void>;
  readonly perMinuteAddress: number;
};

export function loginRoute(app: FastifyInstance, route: LoginRoute): void {
  const { check, isBlocked, signIn, tell, perMinuteAddress } = route;
  app.withTypeProvider<ZodTypeProvider>().post(
    "/v1/login",
    {
      schema: { body: calls.login.body },
      bodyLimit: BODY_BYTES_MAX,
      // Its answer carries secrets: never compressed together with what the caller sent.
      compress: false,
      onRequest: callLimit(app, perMinuteAddress),
    },
    async (request, reply) => {
      const address = request.clientAddress;
      const answer = isBlocked(request) ? KEPT_OUT : await checkLogin(check, request.body, address);
      if (answer.is === "refused") {
        request.log.info({ problem: answer.problem.name, address }, "sign-in refused");
        await tell({ problem: answer.problem.name, username: request.body.username, address });
        return sendProblem(reply, answer.problem);
      }
      const opened = await signIn(answer.player, address);
      if (opened === undefined) {
        await tell({ problem: CHANGED.name, username: request.body.username, address });
        return sendProblem(reply, CHANGED);
      }
      const body = { ...opened, code: CODE_OK };
      request.log.info({ playerId: answer.player.id, address }, "signed in");
      return reply.header("cache-control", "no-store").send(body);
    },
  );
}
