import { Controller, Get, UseGuards } from '@nestjs/common';
import { A2ASchemeGuard } from 'nest-a2a';

/** A route of the application itself, behind the card's own scheme. */
@Controller('reports')
export class ReportsController {
  @UseGuards(A2ASchemeGuard('bearer', { scopes: ['accounts:read'] }))
  @Get()
  reports() {
    return { total: 42 };
  }
}
