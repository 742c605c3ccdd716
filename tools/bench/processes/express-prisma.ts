import { openDatabase } from '../../../src/db/database.ts';
import { type ResourceRow, serveBaseline } from '../core/baseline-routes.ts';

// The hand-written routes with Prisma, over the same pool and the same prepared statements as the service.

const { prisma } = await openDatabase({ kind: 'postgresql', url: process.env.DATABASE_URL ?? '' });
const select = { id: true, type: true, fields: true, createdAt: true, updatedAt: true } as const;

serveBaseline('Baseline', {
  async environmentOf(tokenHash) {
    const key = await prisma.apiKey.findUnique({
      where: { tokenHash, revokedAt: null },
      select: { environmentId: true },
    });
    return key?.environmentId;
  },
  resources: (environmentId, take, after): Promise<ResourceRow[]> =>
    prisma.resource.findMany({
      where: {
        environmentId,
        ...(after && {
          createdAt: { lte: after.createdAt },
          OR: [{ createdAt: { lt: after.createdAt } }, { id: { lt: after.id } }],
        }),
      },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take,
      select,
    }),
  resource: async (environmentId, id) =>
    (await prisma.resource.findFirst({ where: { id, environmentId }, select })) ?? undefined,
});
