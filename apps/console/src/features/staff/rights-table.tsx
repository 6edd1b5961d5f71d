import type { Permission } from "@longarm/contract/staff-rights";
import { APPROVAL_KINDS, PERMISSION_NAMES, ROLE_NAMES } from "@longarm/contract/staff-rights";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key } from "@longarm/ui/key.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useMay, useMe, useOnline } from "../../shared/me.ts";
import { rightText, roleText } from "../../shared/problem-text.ts";
import { Loaded, Panel, panelCss, Scroller, Tag } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ROLE_LIMITS } from "./role-limits.ts";
import { RoleSheet } from "./role-sheet.tsx";
import css from "./staff.module.css";

type RoleRow = AnswerOf<"roles">["rows"][number];

/** Permissions whose act always waits for a second person. */
const ALWAYS_TWO: ReadonlySet<Permission> = new Set(
  (Object.values(APPROVAL_KINDS) as Permission[]).filter((permission) => !Object.hasOwn(ROLE_LIMITS, permission)),
);

/** Who may do what: the roles as the platform has them now. */
export function RightsTable() {
  const speech = useText();
  const { t } = speech;
  const roles = useRead("roles");
  const online = useOnline();
  const manages = useMay("staff.manage");
  const [changed, setChanged] = useState<RoleRow>();
  return (
    <Panel title={t("staff.rights")} foot={t("staff.rightsAbout")}>
      <Loaded of={roles}>
        {({ rows }) => {
          const shown = ROLE_NAMES.flatMap((name) => rows.filter(({ role }) => role === name));
          return (
            <Scroller className={css["rights"]}>
              <table className={panelCss["table"]}>
                <thead>
                  <tr>
                    <td />
                    {shown.map(({ role }) => (
                      <th key={role} scope="col">
                        {roleText(speech, role)}
                      </th>
                    ))}
                  </tr>
                  {manages && (
                    <tr>
                      <td />
                      {shown.map((row) => (
                        <td key={row.role}>
                          <Key
                            kind="bare"
                            disabled={!online}
                            aria-label={t("staff.changeRoleOf", { role: roleText(speech, row.role) })}
                            onClick={() => setChanged(row)}
                          >
                            {t("staff.changeRole")}
                          </Key>
                        </td>
                      ))}
                    </tr>
                  )}
                </thead>
                <tbody>
                  {PERMISSION_NAMES.map((permission) => (
                    <tr key={permission}>
                      <th scope="row">{rightText(speech, permission)}</th>
                      {shown.map((row) => (
                        <td key={row.role}>
                          <Right row={row} permission={permission} />
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroller>
          );
        }}
      </Loaded>
      <RoleSheet role={changed} close={() => setChanged(undefined)} />
    </Panel>
  );
}

function Right({ row, permission }: { readonly row: RoleRow; readonly permission: Permission }) {
  const { t, language } = useText();
  const currency = useCurrency();
  const { venue } = useMe();
  if (!row.permissions.includes(permission))
    return (
      <span className={css["no"]}>
        <span aria-hidden="true">–</span>
        <span className="visually-hidden">{t("staff.no")}</span>
      </span>
    );
  const kind = Object.hasOwn(ROLE_LIMITS, permission) ? ROLE_LIMITS[permission as keyof typeof ROLE_LIMITS] : undefined;
  const limit = kind === undefined ? undefined : row.limits[kind];
  if (venue.secondPerson && limit !== undefined)
    return <Tag>{t("staff.upTo", { amount: moneyText(limit, currency, language, true) })}</Tag>;
  if (venue.secondPerson && ALWAYS_TWO.has(permission)) return <Tag>{t("staff.two")}</Tag>;
  return (
    <span className={css["yes"]}>
      <Icon name="check" />
      <span className="visually-hidden">{t("staff.yes")}</span>
    </span>
  );
}
