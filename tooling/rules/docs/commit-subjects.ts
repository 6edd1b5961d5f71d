import { execFileSync } from "node:child_process";
import { repositoryRoot } from "../source/repository.ts";

/** Older subjects follow no rule. */
const SINCE = "2026-11-23T00:00:00Z";
const LENGTH_MAX = 72;

/** Subjects of the commits that this copy of the repository has; none where it is no clone. */
export function commitSubjects(): string[] {
  try {
    const args = ["log", "--no-merges", "--format=%s", `--since=${SINCE}`];
    return execFileSync("git", args, { cwd: repositoryRoot, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
      .split("\n")
      .filter((subject) => subject !== "");
  } catch {
    return [];
  }
}

/** Verbs that end as a past, a participle or a third person does. */
const IMPERATIVES = /^(Embed|Exceed|Feed|Need|Proceed|Seed|Shed|Speed|Spread|Bring|Ping|Ring|String|Swing)$|ss$|us$/;

/** What is wrong with a subject; undefined: it is imperative and short. */
export function subjectProblem(subject: string): string | undefined {
  const [first = ""] = subject.split(/[ :]/);
  if (subject.length > LENGTH_MAX) return `has ${subject.length} characters, more than ${LENGTH_MAX}`;
  if (!/^[A-Z]/.test(subject)) return "does not begin with a capital letter";
  if (/[.!]$/.test(subject)) return "ends with a full stop";
  if (/(ed|ing|s)$/.test(first) && !IMPERATIVES.test(first))
    return `begins with "${first}", which is no imperative: write "Reject …", not "Rejects …" or "Rejected …"`;
  return undefined;
}
