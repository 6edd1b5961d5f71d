import type { RoleName } from "@longarm/contract/staff-rights";
import { ROLE_NAMES, SEPARATE_ROLES } from "@longarm/contract/staff-rights";
import { Check } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { roleText } from "../../shared/problem-text.ts";
import css from "./staff.module.css";

/** The first of the chosen roles that one person never has together with this one. */
function apartFrom(role: RoleName, chosen: readonly RoleName[]): RoleName | undefined {
  for (const pair of SEPARATE_ROLES) {
    const other = pair.find((one) => one !== role);
    if (pair.includes(role) && other !== undefined && chosen.includes(other)) return other;
  }
  return undefined;
}

/** The roles of one person. What may not be had together is not offered, and says with what. */
export function RoleChoice({
  chosen,
  onChange,
}: {
  readonly chosen: readonly RoleName[];
  readonly onChange: (roles: RoleName[]) => void;
}) {
  const speech = useText();
  const { t } = speech;
  return (
    <fieldset className={css["choice"]}>
      <legend>{t("app.roles")}</legend>
      {ROLE_NAMES.map((role) => {
        const apart = apartFrom(role, chosen);
        const isOn = chosen.includes(role);
        const why = apart === undefined || isOn ? "" : ` · ${t("staff.notWith", { role: roleText(speech, apart) })}`;
        return (
          <Check
            key={role}
            label={`${roleText(speech, role)}${why}`}
            checked={isOn}
            disabled={!isOn && apart !== undefined}
            onChange={() => onChange(isOn ? chosen.filter((one) => one !== role) : [...chosen, role])}
          />
        );
      })}
    </fieldset>
  );
}
