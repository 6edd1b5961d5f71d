/*
 * One process that claims bonuses over HTTP as fast as it is answered: each of its connections asks again once it has its answer. It is
 * told whom to claim for over its IPC channel, and tells how many claims paid.
 */
import { Agent, request } from "node:http";
import type { ClaimsAsk, ClaimsTold } from "./claims.ts";

async function claim(agent: Agent, url: string, token: string): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const asked = request(url, { agent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
    answer.resume();
    answer.on("end", () => resolve(answer.statusCode === 200));
    answer.on("error", reject);
  });
  asked.on("error", reject);
  asked.end();
  return await promise;
}

async function claimAll({ url, tokens, connections, seconds }: ClaimsAsk): Promise<ClaimsTold> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const endsAt = performance.now() + seconds * 1_000;
  const told = { paid: 0, refused: 0 };
  let next = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      const token = tokens[next++ % tokens.length] ?? "";
      if (await claim(agent, url, token)) told.paid += 1;
      else told.refused += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  agent.destroy();
  return told;
}

process.on("message", (ask: ClaimsAsk) => {
  claimAll(ask).then(
    (told) => process.send?.(told),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
process.on("disconnect", () => process.exit(0));
