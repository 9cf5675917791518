import AsyncLocation

extension StorageSession: GeocodingSession where Database == GeocodingDatabase {
  func commit(_ changes: [GeocodingChange]) throws(LocationError) {
    try write { (database) throws(SQLiteFailure) in try database.commit(changes) }
  }
}
