import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useState } from "react";
import css from "../features/cashier/cashier.module.css";
import type { Chosen } from "../features/cashier/drawer.tsx";
import { Drawer, FindPlayer, MoveMoney, OpenShift } from "../features/cashier/drawer.tsx";
import { UnderWay } from "../features/cashier/under-way.tsx";
import { ProvidersOfMonth } from "../features/reports/providers.tsx";
import { useMay, useMe } from "../shared/me.ts";
import { Page } from "../shared/ui/page.tsx";
import { Loaded, Note } from "../shared/ui/panel.tsx";
import { useRead } from "../shared/ui/queries.ts";

/**
 * One drawer with deposits and withdrawals of players, the payments that are under way at the desk and through providers, and the sums of these. Who has
 * no drawer sees the payments alone.
 */
export function CashierPage() {
  const { t } = useText();
  const hasDrawer = useMay("shift.own");
  const seesPayments = [useMay("wallet.move"), useMay("shift.see")].includes(true);
  const seesSums = useMay("report.see");
  const own = useRead("myShift", {}, hasDrawer);
  const { operatorWallet } = useMe().venue;
  const [chosen, setChosen] = useState<Chosen>();
  return (
    <Page title={t("app.cashier")} about={own.data?.shift?.desk}>
      {operatorWallet && <Note>{t("cashier.operators")}</Note>}
      {hasDrawer && (
        <Loaded of={own}>
          {({ shift }) =>
            shift === null ? (
              <OpenShift />
            ) : (
              <div className={css["columns"]}>
                {!operatorWallet && chosen === undefined && <FindPlayer choose={setChosen} />}
                {!operatorWallet && chosen !== undefined && (
                  <MoveMoney key={chosen.player.id} {...chosen} close={() => setChosen(undefined)} />
                )}
                <Drawer shift={shift} />
              </div>
            )
          }
        </Loaded>
      )}
      {seesPayments && <UnderWay />}
      {seesSums && <ProvidersOfMonth />}
    </Page>
  );
}
