import { describe, expect, test } from "vitest";
import { tellBreaches } from "../source/breach.ts";
import { codeFiles, repositoryPaths } from "../source/repository.ts";
import { READERS, tableBreaches, WRITERS } from "./tables.ts";

const modules = "apps/platform/src/modules/";

describe("the repository", () => {
  test("writes each table in the room that owns it, and reads it in its domain", () => {
    expect(tellBreaches(codeFiles().flatMap(tableBreaches))).toEqual([]);
  });

  test("has every room and file that the map of tables names", () => {
    const paths = repositoryPaths();
    const named = [...Object.values(WRITERS), ...Object.keys(READERS)];
    const isThere = (name: string) => paths.some((path) => path.startsWith(modules + name) || path.startsWith(name));
    expect(named.filter((name) => !isThere(name))).toEqual([]);
  });
});

const breachesOf = (path: string, text: string) => tellBreaches(tableBreaches({ path: modules + path, text }));

describe("the rule finds", () => {
  test.each([
    ["play/wallet/a.ts", `db.updateTable("play_session").set({})`, "writes the table play_session"],
    ["play/session/a.ts", "sql`update seat set epoch = 1`", "writes the table seat"],
    ["play/session/a.ts", "await ask(`delete from agent_link`)", "writes the table agent_link"],
    ["players/auth/a.ts", `db.selectFrom("seat as s")`, "reads the table seat"],
    ["play/books/a.ts", `db.selectFrom("discrepancy").leftJoin("player as p", "p.id", "x")`, "reads the table player"],
    ["protection/limits/a.ts", "sql`select 1 from game g join machine m on true`", "reads the table machine"],
  ])("in %s: %s", (path, text, sentence) => {
    expect(breachesOf(path, text).join("\n")).toContain(sentence);
  });

  test.each([
    ["play/seat/a.ts", `db.updateTable("seat").set({})`],
    ["play/wallet/a.ts", `db.selectFrom("seat").innerJoin("machine as m", "m.id", "x")`],
    ["play/wallet/a.ts", `log.info("update from seat")`],
    ["records/history/a.ts", "sql`select 1 from game`"],
    ["play/seat/a.test.ts", `db.deleteFrom("player")`],
  ])("nothing in %s: %s", (path, text) => {
    expect(breachesOf(path, text)).toEqual([]);
  });
});
