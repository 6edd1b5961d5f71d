import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import { expect, test } from "vitest";
import { inProcessBus } from "../../bus/index.ts";
import { systemClock } from "../../clock.ts";
import { readConfig } from "../../config.ts";
import { createLog } from "../../log.ts";
import type { PlayPartDeps } from "../../play-base/play-deps.ts";
import type { PlayTables } from "../../play-tables.ts";
import { Links } from "./links.ts";

class AwayDriver extends DummyDriver {
  override acquireConnection(): never {
    throw new Error("the database is away");
  }
}

function linksWithoutDatabase() {
  const config = readConfig({ PORT: "0" });
  const lines: string[] = [];
  const db = new Kysely<PlayTables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new AwayDriver(),
      createIntrospector: (kysely) => new PostgresIntrospector(kysely),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const bus = inProcessBus({ clock: systemClock, onError: () => {} });
  const log = createLog(config, { write: (line) => void lines.push(line) });
  const deps: Pick<PlayPartDeps, "config" | "db" | "bus" | "log"> = { config, db, bus, log };
  return { links: new Links(deps), lines };
}

test("while the database is away, asking an agent and telling it a candidate reject nothing", async () => {
  const { links, lines } = linksWithoutDatabase();
  expect(await links.ask("egm.meters", { machineId: "nar-01" })).toEqual({ is: "nobody" });
  await links.candidate({ machineId: "nar-01", viewerId: "v_1", candidate: "candidate:1" });
  expect(lines.filter((line) => line.includes("the database is away"))).toHaveLength(2);
  links.close();
});
