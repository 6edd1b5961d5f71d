import icon from "../../../shared/ui/icon.module.css";

/** Pictures that only the template's bars use: they are fetched with them, not with the first page. */
export const BOOK = "M12 6.5C10 5 7 4.5 3.5 4.5v13c3.5 0 6.5.5 8.5 2 2-1.5 5-2 8.5-2v-13c-3.5 0-6.5.5-8.5 2zM12 6.5v13";
export const CART =
  "M3 4.5h2.5l2.2 10.5h9.8l2-7.5H6.3M7.5 19a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0 -2.6 0zM15 19a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0 -2.6 0z";

/** A line drawing as our icons are, 24 by 24; hidden from screen readers. */
export function Drawing({ path }: { path: string }) {
  return (
    <svg className={icon["icon"]} viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
