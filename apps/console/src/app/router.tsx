import type { Area, Texts } from "@longarm/ui/i18n/texts.ts";
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Navigate } from "@tanstack/react-router";
import { useMe } from "../shared/me.ts";
import { paths } from "../shared/paths.ts";
import { pagesOf } from "./navigation.ts";
import { NoSuchPage, Shell } from "./shell.tsx";

/** The pages of a person who is signed in. Each loads its code and its texts when it is opened. */
export function createConsoleRouter(texts: Texts) {
  const root = createRootRoute({ component: Shell, notFoundComponent: NoSuchPage });
  const page = <Path extends string>(
    path: Path,
    areas: readonly Area[],
    component: ReturnType<typeof lazyRouteComponent>,
  ) => createRoute({ getParentRoute: () => root, path, loader: () => texts.need(...areas), component });
  const routes = [
    createRoute({ getParentRoute: () => root, path: paths.start, component: FirstPage }),
    page(
      paths.approvals,
      ["approvals"],
      lazyRouteComponent(() => import("../features/approvals/approvals-page.tsx"), "ApprovalsPage"),
    ),
    page(
      `${paths.approvals}/$id`,
      ["approvals"],
      lazyRouteComponent(() => import("../features/approvals/approvals-page.tsx"), "ApprovalsPage"),
    ),
    page(
      paths.today,
      ["today"],
      lazyRouteComponent(() => import("../features/today/today-page.tsx"), "TodayPage"),
    ),
    page(
      paths.floor,
      ["floor"],
      lazyRouteComponent(() => import("../features/floor/floor-page.tsx"), "FloorPage"),
    ),
    page(
      `${paths.floor}/$id`,
      ["floor"],
      lazyRouteComponent(() => import("../features/floor/machine-page.tsx"), "MachinePage"),
    ),
    page(
      paths.audit,
      ["audit"],
      lazyRouteComponent(() => import("../features/audit/audit-page.tsx"), "AuditPage"),
    ),
    page(
      paths.staff,
      ["staff"],
      lazyRouteComponent(() => import("../features/staff/staff-page.tsx"), "StaffPage"),
    ),
    page(
      paths.account,
      ["account"],
      lazyRouteComponent(() => import("../features/account/account-page.tsx"), "AccountPage"),
    ),
  ];
  return createRouter({ routeTree: root.addChildren(routes), defaultPreload: "intent", scrollRestoration: true });
}

/** The page that a person's work begins with. */
function FirstPage() {
  const [first] = pagesOf(useMe());
  return <Navigate to={first?.path ?? paths.account} replace />;
}
