import { openDatabase } from "@longarm/database/connection";
import { silentLog } from "@longarm/database/log";
import { migrate } from "@longarm/database/migrations";
import { addressOf, dropDatabase, endConnections, onServer } from "@longarm/database/testing/server";
import { typeParsers } from "@longarm/database/type-parsers";
import pg from "pg";
import { platformMigrations } from "../../../apps/platform/src/migration-sets.ts";

/*
 * A database whose clock is the schedule's: `now()` and `clock_timestamp()` of its public schema, found before the built-in ones, answer
 * the time that the connection was told. The migrations, and the functions in them, are the released ones.
 */
const VIRTUAL_CLOCK = ["now", "clock_timestamp"].map(
  (name) => `create function public.${name}() returns timestamptz language sql volatile as
    $$ select to_timestamp(coalesce(nullif(current_setting('proof.now', true), ''), '0')::double precision / 1000) $$`,
);

/** Makes the migrated database that all others are copied from. Answers its name. */
export async function makeTemplate(server: string, name: string): Promise<string> {
  await onServer(server, async (client) => {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name}`);
    // Before the migrations: defaults and functions are bound to what is found when they are made.
    await client.query(`alter database ${name} set search_path = public, pg_catalog`);
  });
  const { pool, close } = openDatabase({ url: addressOf(server, name), maxConnections: 1, log: silentLog });
  try {
    for (const statement of VIRTUAL_CLOCK) await pool.query(statement);
    await migrate({ pool, sets: platformMigrations, log: silentLog });
  } finally {
    await close();
  }
  return name;
}

/** A fresh copy with one open connection. */
type ProofDatabase = { readonly client: pg.Client; drop(): Promise<void> };

async function copyDatabase(server: string, template: string, name: string): Promise<ProofDatabase> {
  await onServer(server, async (client) => {
    await endConnections(client, template);
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name} template ${template}`);
    await client.query(`alter database ${name} set search_path = public, pg_catalog`);
  });
  const client = new pg.Client({ connectionString: addressOf(server, name), types: typeParsers, pipeline: true });
  await client.connect();
  // Plans are kept from when all tables were empty; without this they would read what grows from end to end.
  await client.query(
    "set synchronous_commit = off; set plan_cache_mode = force_generic_plan; set enable_seqscan = off",
  );
  return {
    client,
    drop: async () => {
      await client.end();
      await dropDatabase(server, name);
    },
  };
}

/** Checks of a whole database become slow when it is large, so another copy is taken after so many transfers. */
const TRANSFERS_OF_DATABASE = 6_000;

/** A database for story after story: another copy when it has become large, or when a story has left its ruins in it. */
export type Databases = {
  client(): Promise<pg.Client>;
  used(transfers: number): void;
  spoiled(): void;
  end(): Promise<void>;
};

export function databases(server: string, template: string, name: string): Databases {
  let now: ProofDatabase | undefined;
  let transfers = 0;
  let copies = 0;
  const end = async (): Promise<void> => {
    await now?.drop();
    now = undefined;
  };
  return {
    end,
    async client() {
      if (transfers >= TRANSFERS_OF_DATABASE) await end();
      if (now === undefined) {
        copies += 1;
        transfers = 0;
        now = await copyDatabase(server, template, `${name}_${copies}`);
      }
      return now.client;
    },
    used: (more) => {
      transfers += more;
    },
    spoiled: () => {
      transfers = TRANSFERS_OF_DATABASE;
    },
  };
}
