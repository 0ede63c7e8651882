/** Paths on a 16 × 16 grid, drawn in the colour of the text. */
const paths = {
  check: 'M3 8.5 6.5 12 13 4.5',
  close: 'm4 4 8 8m0-8-8 8',
  compare: 'M2.5 3h4.5v10H2.5zM9 3h4.5v10H9zM8 1.5v13',
  copy: 'M6 5.5h7v8H6zM10 5.5v-3H3v8h3',
  down: 'm4 6 4 4 4-4',
  export: 'M8 2v8m-3-3 3 3 3-3M3 13.5h10',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  left: 'm10 3.5-4.5 4.5 4.5 4.5',
  out: 'M9 3h4v4m0-4L7.5 8.5M6 4H3v9h9v-3',
  person: 'M8 8a2.75 2.75 0 1 0 0-5.5A2.75 2.75 0 0 0 8 8zM2.5 13.5c.5-2.5 2.5-4 5.5-4s5 1.5 5.5 4',
  pin: 'M6 2.5h4l-.5 4L12 9H4l2.5-2.5zM8 9v4.5',
  refresh: 'M13 3v3.5h-3.5M3 13V9.5h3.5M12.8 6.5A5.2 5.2 0 0 0 3.6 5.5M3.2 9.5a5.2 5.2 0 0 0 9.2 1',
  right: 'm6 3.5 4.5 4.5L6 12.5',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zm3.6-1.4L14 14',
  sortDown: 'M4.5 3v10m-2.5-2.5L4.5 13 7 10.5M9.5 4h4M9.5 8h3M9.5 12h2',
  sortUp: 'M4.5 13V3M2 5.5 4.5 3 7 5.5M9.5 4h2M9.5 8h3M9.5 12h4',
  unsorted: 'm5 6 3-3 3 3M5 10l3 3 3-3',
  up: 'm4 10 4-4 4 4',
} as const;

export type IconName = keyof typeof paths;

/** Decorative next to text; an icon on its own needs a label. */
export function Icon({ name, label }: { name: IconName; label?: string }) {
  const aria = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label };
  return (
    <svg className="icon" viewBox="0 0 16 16" {...aria}>
      <path d={paths[name]} />
    </svg>
  );
}
