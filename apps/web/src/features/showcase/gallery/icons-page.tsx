import { Field } from "@longarm/ui/field.tsx";
import { fold } from "@longarm/ui/i18n/fold.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import type { IconName } from "@longarm/ui/icon-paths.ts";
import { ICON_PATHS } from "@longarm/ui/icon-paths.ts";
import { Notice } from "@longarm/ui/notice.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { useState } from "react";
import css from "./icons-page.module.css";
import { Trail, useCopy } from "./samples.tsx";

const NAMES = Object.keys(ICON_PATHS) as IconName[];

/** Every icon: found by its name or a word for it, copied by a press. */
export function IconsPage({ title }: { readonly title: string }) {
  const { t } = useText();
  const copy = useCopy();
  const [search, setSearch] = useState("");
  const [form, setForm] = useState<"jsx" | "name">("jsx");
  const wanted = fold(search.trim());
  const found = NAMES.filter((name) => fold(`${name} ${t(`iconTags.${name}`)}`).includes(wanted));
  return (
    <div className={css["page"]}>
      <Trail here={title} reference="icons" />
      <div className={css["tools"]}>
        <Field
          type="search"
          label={t("gallery.searchIcons")}
          value={search}
          before={<Icon name="search" />}
          onChange={(event) => setSearch(event.target.value)}
        />
        <Segment
          label={t("gallery.copyAs")}
          value={form}
          onChange={setForm}
          options={[
            { value: "jsx", label: "JSX" },
            { value: "name", label: t("gallery.name") },
          ]}
        />
        <p role="status">{t("gallery.iconCount", { count: found.length })}</p>
      </div>
      {found.length === 0 && <Notice title={t("gallery.noResults")} body={t("gallery.noIcon", { search })} />}
      <ul className={css["grid"]}>
        {found.map((name) => (
          <li key={name}>
            <button type="button" onClick={() => void copy(form === "jsx" ? `<Icon name="${name}" />` : name)}>
              <Icon name={name} />
              <span dir="ltr">{name}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
