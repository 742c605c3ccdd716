import { graphql } from '../graphql.ts';

export const RATINGS = graphql(`
  query Ratings($period: ReportPeriodInput!, $filter: RatingFilter) {
    versions: ratings(period: $period, groupBy: [VERSION], filter: $filter) { version up down }
    days: ratings(period: $period, groupBy: [DAY], filter: $filter) { day up down }
  }
`);
