import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import type { PlatformDeps } from "../../../deps.ts";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { openKeys } from "../../players/accounts/index.ts";
import type { Guard } from "../../players/auth/index.ts";
import { callerOf } from "../../players/auth/index.ts";
import type { Play } from "../index.ts";
import { brandIdOf, brandsOf, lobbyMachine } from "./brands.ts";
import { createStillLinks, stillRoute } from "./stills.ts";

const BrandParams = z.object({ brandId: z.string().check(z.maxLength(64)) });

/** Brands, machines and their pictures. */
export async function createLobby(
  deps: Pick<PlatformDeps, "clock" | "random" | "db">,
  app: FastifyInstance,
  guard: Guard,
  play: Pick<Play, "sessions" | "agents">,
): Promise<void> {
  // Every node signs and reads the same addresses.
  const keys = await openKeys(deps.db.kysely.withTables<PlayersTables>(), deps.random, "still");
  const links = createStillLinks((await keys.current()).secret, deps.clock);
  const typed = app.withTypeProvider<ZodTypeProvider>();

  typed.get("/v1/machine/brands", { onRequest: guard }, async (request, reply) => {
    const machines = await play.sessions.machinesFor(callerOf(request).playerId);
    return await reply.header("cache-control", "no-store").send(brandsOf(machines));
  });
  typed.get("/v1/machine/all", { onRequest: guard }, async (request, reply) => {
    const machines = await play.sessions.machinesFor(callerOf(request).playerId);
    return await reply
      .header("cache-control", "no-store")
      .send(machines.map((machine) => lobbyMachine(machine, links)));
  });
  typed.get("/v1/machine/:brandId", { onRequest: guard, schema: { params: BrandParams } }, async (request, reply) => {
    const machines = await play.sessions.machinesFor(callerOf(request).playerId);
    // A brand whose last machine has gone is an empty one.
    const ofBrand = machines.filter(({ brand }) => brandIdOf(brand) === request.params.brandId);
    return await reply.header("cache-control", "no-store").send(ofBrand.map((machine) => lobbyMachine(machine, links)));
  });
  stillRoute(app, guard, links, play.agents);
}
