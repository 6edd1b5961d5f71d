import type { Permission } from "@longarm/contract/staff-rights";
import type { Me } from "@longarm/contract/staff-sign-in";
import { paths } from "../shared/paths.ts";
import type { TextKey } from "../shared/texts.ts";
import type { ConsoleIconName } from "../shared/ui/icons.tsx";

type PageEntry = {
  readonly path: string;
  readonly icon: ConsoleIconName;
  readonly word: TextKey;
  /** After `g` it leads there. */
  readonly key?: string;
  /** What a person must be allowed to see it, one of several; undefined: every member of staff. */
  readonly needs?: Permission | readonly Permission[];
};

/** The pages in their order. One is here when the platform answers every call that it makes. */
const PAGES: readonly PageEntry[] = [
  { path: paths.today, icon: "today", word: "app.today", key: "t", needs: "floor.see" },
  { path: paths.floor, icon: "floor", word: "app.floor", key: "f", needs: "floor.see" },
  { path: paths.players, icon: "players", word: "app.players", key: "p", needs: "player.find" },
  { path: paths.care, icon: "shield", word: "app.care", key: "d", needs: "care.see" },
  { path: paths.disputes, icon: "disputes", word: "app.disputes", key: "q", needs: "dispute.see" },
  {
    path: paths.money,
    icon: "money",
    word: "app.money",
    key: "y",
    needs: ["handPay.see", "transfer.see", "discrepancy.see"],
  },
  { path: paths.cashier, icon: "cashier", word: "app.cashier", key: "c", needs: ["shift.own", "shift.see"] },
  { path: paths.approvals, icon: "approvals", word: "app.approvals", key: "a" },
  { path: paths.promotions, icon: "promotions", word: "app.promotions", key: "b", needs: "promotion.see" },
  { path: paths.staff, icon: "staff", word: "app.staff", key: "s", needs: "staff.see" },
  { path: paths.machines, icon: "machines", word: "app.machines", key: "m", needs: "machine.configure" },
  { path: paths.agents, icon: "agents", word: "app.agents", key: "k", needs: "agent.see" },
  {
    path: paths.reports,
    icon: "reports",
    word: "app.reports",
    key: "r",
    needs: ["report.see", "machine.configure"],
  },
  { path: paths.alerts, icon: "bell", word: "app.alerts", key: "e", needs: "settings.see" },
  { path: paths.settings, icon: "settings", word: "app.settings", key: "o", needs: "settings.see" },
  { path: paths.audit, icon: "audit", word: "app.audit", key: "u", needs: "audit.see" },
];

/** The pages of a person: what a role may never do is not in its menu. */
export const pagesOf = ({ permissions }: Pick<Me, "permissions">): PageEntry[] =>
  PAGES.filter(({ needs }) => needs === undefined || [needs].flat().some((need) => permissions.includes(need)));
