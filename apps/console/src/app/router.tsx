import type { Area, Texts } from "@longarm/ui/i18n/texts.ts";
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Navigate } from "@tanstack/react-router";
import { useMe } from "../shared/me.ts";
import { paths } from "../shared/paths.ts";
import { pagesOf } from "./navigation.ts";
import { NoSuchPage, NotLoadedPage, Shell } from "./shell.tsx";

type PageOf = readonly [path: string, areas: Area | readonly Area[], component: ReturnType<typeof lazyRouteComponent>];

/** Each page loads its code and its texts when it is opened. */
const PAGES: readonly PageOf[] = [
  [
    paths.approvals,
    ["approvals", "identity", "market"],
    lazyRouteComponent(() => import("../features/approvals/approvals-page.tsx"), "ApprovalsPage"),
  ],
  [
    `${paths.approvals}/$id`,
    ["approvals", "identity", "market"],
    lazyRouteComponent(() => import("../features/approvals/approvals-page.tsx"), "ApprovalsPage"),
  ],
  [paths.today, "today", lazyRouteComponent(() => import("../features/today/today-page.tsx"), "TodayPage")],
  [paths.floor, "floor", lazyRouteComponent(() => import("../features/floor/floor-page.tsx"), "FloorPage")],
  [
    `${paths.floor}/$id`,
    ["floor", "machines"],
    lazyRouteComponent(() => import("../features/floor/machine-page.tsx"), "MachinePage"),
  ],
  [
    paths.displays,
    ["displays", "floor"],
    lazyRouteComponent(() => import("../features/wall/displays-page.tsx"), "DisplaysPage"),
  ],
  [
    paths.promotions,
    "promotions",
    lazyRouteComponent(() => import("../features/promotions/promotions-page.tsx"), "PromotionsPage"),
  ],
  [
    `${paths.promotions}/$id`,
    "promotions",
    lazyRouteComponent(() => import("../features/promotions/campaign-page.tsx"), "CampaignPage"),
  ],
  [paths.reports, "reports", lazyRouteComponent(() => import("../features/reports/reports-page.tsx"), "ReportsPage")],
  [paths.audit, "audit", lazyRouteComponent(() => import("../features/audit/audit-page.tsx"), "AuditPage")],
  [paths.players, "players", lazyRouteComponent(() => import("../features/players/players-page.tsx"), "PlayersPage")],
  [
    `${paths.players}/$id`,
    ["players", "identity", "care"],
    lazyRouteComponent(() => import("../features/players/player-page.tsx"), "PlayerPage"),
  ],
  [paths.care, "care", lazyRouteComponent(() => import("../features/care/cases-page.tsx"), "CasesPage")],
  [`${paths.care}/$id`, "care", lazyRouteComponent(() => import("../features/care/case-page.tsx"), "CasePage")],
  [
    paths.disputes,
    "disputes",
    lazyRouteComponent(() => import("../features/disputes/questions-page.tsx"), "QuestionsPage"),
  ],
  [
    `${paths.disputes}/$id`,
    "disputes",
    lazyRouteComponent(() => import("../features/disputes/question-page.tsx"), "QuestionPage"),
  ],
  [
    `${paths.games}/$machine/$number`,
    "disputes",
    lazyRouteComponent(() => import("../features/disputes/replay.tsx"), "GamePage"),
  ],
  [paths.money, "money", lazyRouteComponent(() => import("../features/money/money-page.tsx"), "MoneyPage")],
  [paths.cashier, ["cashier", "reports"], lazyRouteComponent(() => import("./cashier-page.tsx"), "CashierPage")],
  [paths.staff, "staff", lazyRouteComponent(() => import("../features/staff/staff-page.tsx"), "StaffPage")],
  [
    paths.machines,
    "machines",
    lazyRouteComponent(() => import("../features/machines/machines-page.tsx"), "MachinesPage"),
  ],
  [paths.agents, "agents", lazyRouteComponent(() => import("../features/agents/agents-page.tsx"), "AgentsPage")],
  [
    `${paths.agents}/$id`,
    "agents",
    lazyRouteComponent(() => import("../features/agents/agents-page.tsx"), "AgentsPage"),
  ],
  [paths.alerts, "alerts", lazyRouteComponent(() => import("../features/alerts/alerts-page.tsx"), "AlertsPage")],
  [
    paths.settings,
    ["settings", "market"],
    lazyRouteComponent(() => import("../features/settings/settings-page.tsx"), "SettingsPage"),
  ],
  [
    `${paths.runbooks}/$kind`,
    "runbooks",
    lazyRouteComponent(() => import("../features/runbooks/runbook-page.tsx"), "RunbookPage"),
  ],
  [
    paths.runbooks,
    "runbooks",
    lazyRouteComponent(() => import("../features/runbooks/runbook-page.tsx"), "RunbookPage"),
  ],
  [paths.account, "account", lazyRouteComponent(() => import("../features/account/account-page.tsx"), "AccountPage")],
  [paths.device, "account", lazyRouteComponent(() => import("../features/account/device-page.tsx"), "DevicePage")],
];

/** The pages of a person who is signed in. */
export function createConsoleRouter(texts: Texts) {
  const root = createRootRoute({
    component: Shell,
    notFoundComponent: NoSuchPage,
    // Tasks and notifications are over every page.
    loader: () => Promise.all([texts.need("tasks"), texts.need("notices")]),
  });
  const routes = PAGES.map(([path, areas, component]) =>
    createRoute({
      getParentRoute: () => root,
      path,
      loader: () => Promise.all([areas].flat().map((area) => texts.need(area))),
      component,
    }),
  );
  const first = createRoute({ getParentRoute: () => root, path: paths.start, component: FirstPage });
  return createRouter({
    routeTree: root.addChildren([first, ...routes]),
    defaultPreload: "intent",
    defaultErrorComponent: NotLoadedPage,
    scrollRestoration: true,
  });
}

/** The page that a person's work begins with. */
function FirstPage() {
  const [first] = pagesOf(useMe());
  return <Navigate to={first?.path ?? paths.account} replace />;
}
