import type { DatabaseConnection, Driver } from "kysely";
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import { expect, test } from "vitest";
import { inProcessBus } from "../../../bus/index.ts";
import { systemClock } from "../../../clock.ts";
import { readConfig } from "../../../config.ts";
import { createLog } from "../../../log.ts";
import type { PlayDeps } from "../deps.ts";
import type { PlayTables } from "../tables.ts";
import { Links } from "./links.ts";

class AwayDriver extends DummyDriver {
  override acquireConnection(): never {
    throw new Error("the database is away");
  }
}

/** Every link is on the node `other`. */
class ElsewhereDriver extends DummyDriver {
  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    return Object.assign(connection, { executeQuery: async () => ({ rows: [{ node_id: "other" }] }) });
  }
}

function openLinks(driver: Driver) {
  const config = readConfig({ PORT: "0" });
  const lines: string[] = [];
  const db = new Kysely<PlayTables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (kysely) => new PostgresIntrospector(kysely),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const bus = inProcessBus({ clock: systemClock, onError: () => {} });
  const log = createLog(config, { write: (line) => void lines.push(line) });
  const deps: Pick<PlayDeps, "config" | "db" | "bus" | "log"> = { config, db, bus, log };
  return { links: new Links(deps), lines, bus };
}

test("while the database is away, requests and candidates for an agent do not reject", async () => {
  const { links, lines } = openLinks(new AwayDriver());
  expect(await links.request("egm.meters", { machineId: "nar-01" })).toEqual({ is: "noLink" });
  await links.candidate({ machineId: "nar-01", viewerId: "v_1", candidate: "candidate:1" });
  expect(lines.filter((line) => line.includes("the database is away"))).toHaveLength(2);
  links.close();
});

const cashIn = { machineId: "nar-01", epoch: 1, transferId: "tr_forged-no", amount: 100 };

test("noResponder leaves a money command unknown, because any client of the bus server can forge it; a node that is away knows that it sent nothing", async () => {
  const { links, bus } = openLinks(new ElsewhereDriver());
  expect(await bus.request("agents.ask.other", {}, 1_000)).toEqual({ is: "noResponder" });
  expect(await links.request("egm.cashIn", cashIn)).toMatchObject({ is: "unknown" });
  expect(await links.request("egm.cashOut", cashIn)).toMatchObject({ is: "unknown" });
  expect(await links.request("egm.meters", { machineId: "nar-01" })).toEqual({ is: "noLink" });
  bus.state = () => "away";
  expect(await links.request("egm.cashIn", cashIn)).toEqual({ is: "noLink" });
  links.close();
});
