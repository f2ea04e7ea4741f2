import { Module } from '@nestjs/common';
import { ParcelUpdates } from './parcel-updates.js';
import { ParcelsController } from './parcels.controller.js';
import { Parcels } from './parcels.service.js';

@Module({
  controllers: [ParcelsController],
  providers: [Parcels, ParcelUpdates],
  exports: [Parcels],
})
export class ParcelsModule {}
