import { expect, test } from "vitest";
import { repositoryPaths } from "../source/repository.ts";

/** The folder that holds a set of migrations, and the number of one of them. */
const MIGRATION = /^(.*\/migrations\/(?:.*\/)?)(\d{4})-[^/]+\/up\.sql$/;

/** Two branches that each add the next number merge without a conflict, and no program starts on the result. */
test("migrations of a set are numbered from 0001, without gaps or doubles", () => {
  const sets = new Map<string, number[]>();
  for (const path of repositoryPaths()) {
    const [, set, number] = MIGRATION.exec(path) ?? [];
    if (set !== undefined) sets.set(set, [...(sets.get(set) ?? []), Number(number)]);
  }
  expect(sets.size).toBeGreaterThan(5);
  for (const [set, numbers] of sets) {
    const inOrder = numbers.toSorted((one, other) => one - other);
    expect(inOrder, `${set}: give the newest migration the next number`).toEqual(numbers.map((_, index) => index + 1));
  }
});
