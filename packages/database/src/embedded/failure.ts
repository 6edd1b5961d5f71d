/** The embedded PostgreSQL cannot run here. The message is one sentence for the person who started us. */
export class EmbeddedPostgresError extends Error {
  override readonly name = "EmbeddedPostgresError";
}

/** What the programs of PostgreSQL and the file system say, and what a person can do about it. First match wins. */
const advice: readonly { readonly when: RegExp; readonly say: (folder: string) => string }[] = [
  {
    when: /no space left on device|ENOSPC|disk quota exceeded|EDQUOT/i,
    say: (folder) => `The disk that holds ${folder} is full: free some space (at least 200 MB) and start again.`,
  },
  {
    when: /read-only file system|EROFS/i,
    say: (folder) => `${folder} lies on a read-only file system: name a data folder that can be written.`,
  },
  {
    when: /could not look up effective user ID/i,
    say: () =>
      "The user id that starts Longarm has no name in /etc/passwd, which PostgreSQL needs: add one, or set DATABASE_URL.",
  },
  {
    when: /could not bind|could not create any TCP\/IP sockets/i,
    say: () => "The port named on 127.0.0.1 is in use: stop what uses it, or name none so that a free one is chosen.",
  },
  {
    when: /permission denied|EACCES|EPERM|operation not permitted|has wrong ownership/i,
    say: (folder) =>
      `The user who starts Longarm may not use ${folder}: start as the user it belongs to, or give it to this user with chown.`,
  },
  {
    when: /ENOTDIR|EEXIST|is not a directory/i,
    say: (folder) => `${folder} is not a folder that can be used: move the file in its place away.`,
  },
  {
    when: /incompatible with server|initialized by PostgreSQL version/i,
    say: (folder) =>
      `The database in ${folder} was made by another major version of PostgreSQL: bring it over with pg_dump, or start the release that made it.`,
  },
  {
    when: /could not map anonymous shared memory|could not create shared memory|cannot allocate memory|ENOMEM/i,
    say: () => "There is too little memory for the database: about 150 MB must be free.",
  },
];

/** Turns raw output of a failed step into an error that says what to do, followed by the output. */
export function explainFailure(step: string, folder: string, output: string): EmbeddedPostgresError {
  const known = advice.find(({ when }) => when.test(output));
  const tail = output.trim().split("\n").slice(-6).join(" | ");
  if (known) return new EmbeddedPostgresError(`${known.say(folder)} (${step}: ${tail})`);
  return new EmbeddedPostgresError(`The database in ${folder} could not be started (${step}): ${tail || "no output"}`);
}

/** Runs one step on the file system and explains its failure. */
export async function explained<T>(step: string, folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    throw explainFailure(step, folder, error instanceof Error ? error.message : String(error));
  }
}
