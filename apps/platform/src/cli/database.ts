import { resolve } from "node:path";
import { openDatabase } from "@longarm/database/connection";
import { findRunningServer } from "@longarm/database/embedded-server";
import { silentLog } from "@longarm/database/log";
import type { Kysely } from "kysely";

/** A command waits for as long as a statement of its own may take: a proof of everything reads all rows. */
export const ANSWER_MS_MAX = 3_660_000;

/** The database of a command cannot be used: one sentence that says what to do. */
export class DatabaseProblem extends Error {
  override readonly name = "DatabaseProblem";
}

/** Sentences for what PostgreSQL and the network say, by their code. */
const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The database cannot be reached: check that Longarm runs, or DATABASE_URL.",
  ENOTFOUND: "The database's host is not known: check DATABASE_URL.",
  ETIMEDOUT: "The database does not answer: check DATABASE_URL.",
  "28P01": "The database refuses the password: check DATABASE_URL.",
  "28000": "The database refuses this user: check DATABASE_URL.",
  "3D000": "There is no such database: check DATABASE_URL.",
  "42P01": "This is not the database of a Longarm of this version: start its platform once, or check DATABASE_URL.",
  "42703": "This is not the database of a Longarm of this version: start its platform once, or check DATABASE_URL.",
};

/**
 * Runs work on the database of a Longarm: that of DATABASE_URL, else the one that runs in the data folder now.
 * @throws DatabaseProblem, EmbeddedPostgresError, and what `work` throws.
 */
export async function withDatabase<T>(
  environment: Readonly<Record<string, string | undefined>>,
  dataFolder: string | undefined,
  work: (db: Kysely<unknown>, databaseUrl: string) => Promise<T>,
): Promise<T> {
  const url = namedDatabase(environment) ?? (await urlInFolder(folderOf(environment, dataFolder)));
  const database = openDatabase<unknown>({
    ...{ url, maxConnections: 2, log: silentLog, applicationName: "longarm staff" },
    answerTimeoutMs: ANSWER_MS_MAX,
  });
  try {
    return await work(database.kysely, url);
  } catch (error) {
    throw advised(error);
  } finally {
    await database.close();
  }
}

/** The same failure with a sentence that says what to do, where there is one. */
export function advised(error: unknown): unknown {
  const sentence = ADVICE[(error as { code?: string }).code ?? ""];
  return sentence === undefined ? error : new DatabaseProblem(sentence, { cause: error });
}

/** The data folder that was named, else that of the environment. */
export const folderOf = (
  environment: Readonly<Record<string, string | undefined>>,
  named: string | undefined,
): string => resolve(named ?? (environment["DATA_FOLDER"] || "data"));

/** DATABASE_URL. @throws DatabaseProblem when it is none. */
export function namedDatabase(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const url = environment["DATABASE_URL"] || undefined;
  if (url !== undefined && !/^postgres(ql)?:\/\/\S+$/.test(url))
    throw new DatabaseProblem("DATABASE_URL must be like postgres://user:password@host:5432/name");
  return url;
}

async function urlInFolder(folder: string): Promise<string> {
  const url = await findRunningServer(folder);
  if (url !== undefined) return url;
  throw new DatabaseProblem(
    `No running database in ${folder}. On a server use \`longarm\` (deploy/bin/longarm), which reads /etc/longarm/platform.env; in a checkout run npm start, or pass --data or DATABASE_URL.`,
  );
}
