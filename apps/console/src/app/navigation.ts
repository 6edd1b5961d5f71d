import type { Me } from "@longarm/contract/staff-people";
import type { Permission } from "@longarm/contract/staff-rights";
import { paths } from "../shared/paths.ts";
import type { TextKey } from "../shared/texts.ts";
import type { ConsoleIconName } from "../shared/ui/icons.tsx";

type PageEntry = {
  readonly path: string;
  readonly icon: ConsoleIconName;
  readonly word: TextKey;
  /** What a person must be allowed to see it, one of several; undefined: every member of staff. */
  readonly needs?: Permission | readonly Permission[];
};

/** The pages in their order. One is here when the platform answers every call that it makes. */
const PAGES: readonly PageEntry[] = [
  { path: paths.today, icon: "today", word: "app.today", needs: "floor.see" },
  { path: paths.floor, icon: "floor", word: "app.floor", needs: "floor.see" },
  { path: paths.players, icon: "players", word: "app.players", needs: "player.find" },
  {
    path: paths.money,
    icon: "money",
    word: "app.money",
    needs: ["handPay.see", "transfer.see", "discrepancy.see"],
  },
  { path: paths.cashier, icon: "cashier", word: "app.cashier", needs: "shift.own" },
  { path: paths.approvals, icon: "approvals", word: "app.approvals" },
  { path: paths.staff, icon: "staff", word: "app.staff", needs: "staff.see" },
  { path: paths.machines, icon: "machines", word: "app.machines", needs: "machine.configure" },
  { path: paths.agents, icon: "agents", word: "app.agents", needs: "agent.see" },
  { path: paths.audit, icon: "audit", word: "app.audit", needs: "audit.see" },
];

/** The pages of a person: what a role may never do is not in its menu. */
export const pagesOf = ({ permissions }: Pick<Me, "permissions">): PageEntry[] =>
  PAGES.filter(({ needs }) => needs === undefined || [needs].flat().some((need) => permissions.includes(need)));
