import { describe, expect, test } from "vitest";
import { tellBreaches } from "../source/breach.ts";
import { codeFiles, repositoryPaths } from "../source/repository.ts";
import { cycleBreaches } from "./cycles.ts";
import { barrelBreaches, directionBreaches } from "./direction.ts";
import { readImports } from "./read-imports.ts";

describe("the repository", () => {
  const imports = codeFiles().flatMap(readImports);

  test("imports point down only, and enter by the doors", () => {
    expect(tellBreaches(directionBreaches(imports))).toEqual([]);
  });
  test("no files import each other in a circle", () => {
    expect(tellBreaches(cycleBreaches(imports))).toEqual([]);
  });
  test("there is no barrel file but the doors", () => {
    expect(tellBreaches(barrelBreaches(repositoryPaths()))).toEqual([]);
  });
});

const breachesOf = (path: string, text: string) => tellBreaches(directionBreaches(readImports({ path, text })));

describe("the rule of direction", () => {
  test.each([
    ["packages/link/src/a.ts", `import { x } from "@longarm/ledger/store";`, "imports point down only"],
    ["packages/contract/src/a.ts", `import type { X } from "@longarm/link/peer";`, "nothing of ours"],
    ["apps/cabinet/src/a.ts", `import { x } from "@longarm/agent/money/desk";`, "imports point down only"],
    ["apps/web/src/app/a.ts", `export * from "@longarm/ledger/store";`, "imports point down only"],
    ["packages/ui/src/a.tsx", `import { l } from "@longarm/web/app/app";`, "imports point down only"],
    ["apps/agent/src/a.ts", `const p = () => import("../../platform/src/main.ts");`, "imports point down only"],
    ["apps/agent/src/a.ts", `import { m } from "../../../packages/contract/src/money.ts";`, "@longarm/contract/…"],
    ["apps/agent/src/a.ts", `import { f } from "../../../tooling/finders/find-tool.ts";`, "root rooms"],
    ["apps/agent/src/a.test.ts", `import { r } from "../../../tooling/checks/run-step.ts";`, "root rooms"],
    [
      "apps/web/src/features/lobby/a.tsx",
      `import { W } from "../wallet/panel.tsx";`,
      "a feature never imports a feature",
    ],
    ["apps/web/src/features/lobby/a.tsx", `import { r } from "../../app/router.tsx";`, "features do not know the app"],
    ["apps/web/src/shared/a.ts", `import { l } from "../features/lobby/a.tsx";`, "shared knows no feature"],
    ["apps/web/src/features/play/state/a.ts", `import { useState } from "react";`, "without React"],
    ["apps/platform/src/modules/play/seat/a.ts", `import { s } from "../wallet/store.ts";`, "by its door"],
    ["apps/platform/src/platform.ts", `import { s } from "./modules/play/seat/store.ts";`, "by its door"],
    ["apps/agent/src/main.ts", `import { s } from "./drivers/simulated/machine.ts";`, "by its door"],
    [
      "apps/platform/src/modules/play/seat/a.ts",
      `import { build } from "../../../platform.ts";`,
      "does not know the whole",
    ],
    [
      "apps/platform/src/main.ts",
      `import { runLoad } from "@longarm/load/run/run-load";`,
      "only the command longarm load",
    ],
    ["rig/a.ts", `import { x } from "../bench/result.ts";`, "may not use the apparatus of bench"],
    ["bench/a.ts", `import { x } from "../proof/part.ts";`, "move what both need into rig/"],
  ])("%s may not: %s", (path, text, sentence) => {
    expect(breachesOf(path, text)).toEqual([expect.stringContaining(sentence)]);
  });

  test.each([
    ["apps/platform/src/modules/play/seat/a.ts", `import { s } from "../wallet/index.ts";`],
    [
      "apps/platform/src/modules/play/seat/a.ts",
      `import { m } from "@longarm/contract/money"; import "fastify"; import "node:fs";`,
    ],
    ["apps/web/src/app/a.tsx", `import { Key } from "@longarm/ui/key.tsx"; import "@longarm/ui/global.css";`],
    ["apps/web/src/app/routes/play.tsx", `import { P } from "../../features/play/view/screen.tsx";`],
    [
      "apps/web/src/features/play/view/a.tsx",
      `import { useState } from "react"; import { s } from "../state/session.ts";`,
    ],
    ["apps/agent/src/testing/a.ts", `import { f } from "../../../../tooling/finders/find-tool.ts";`],
    ["e2e/a.test.ts", `import { build } from "../apps/platform/src/platform.ts";`],
  ])("%s may: %s", (path, text) => {
    expect(breachesOf(path, text)).toEqual([]);
  });
});

test("a circle is found, with its files in order, and once", () => {
  const files = [
    { path: "a/one.ts", text: `import "./two.ts";` },
    { path: "a/two.ts", text: `export * from "./three.ts";` },
    { path: "a/three.ts", text: `import type { X } from "./one.ts";` },
  ];
  expect(tellBreaches(cycleBreaches(files.flatMap(readImports)))).toEqual([
    expect.stringContaining("a/one.ts → a/two.ts → a/three.ts → a/one.ts"),
  ]);
});

test("an index file that is no door is a barrel", () => {
  const paths = ["packages/link/src/index.ts", "apps/platform/src/modules/play/seat/index.ts"];
  expect(tellBreaches(barrelBreaches(paths))).toEqual([
    expect.stringContaining("packages/link/src/index.ts is a barrel"),
  ]);
});
