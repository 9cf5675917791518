internal import AsyncLocation
internal import CGazetteer
internal import FileAccess

/// Constant memory with a file of places.
@safe
final class GazetteerMemory: @unchecked Sendable {
  // SAFETY: nothing writes to the memory, and its readers hold this object.
  @unsafe let bytes: UnsafeRawBufferPointer
  /// Owns the memory; nil if the memory is a part of the program.
  private let file: MappedFile?

  private init(_ bytes: UnsafeRawBufferPointer, of file: MappedFile?) {
    unsafe (self.bytes, self.file) = (bytes, file)
  }

  /// The file in the library: a part of the program, whose pages are read on demand and shared.
  static let embedded = unsafe GazetteerMemory(
    UnsafeRawBufferPointer(start: gazetteer_data(), count: gazetteer_size()), of: nil)

  /// Maps a file; its pages are read on demand.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/geocoderUnavailable`` when it cannot be
  ///   opened or mapped.
  convenience init(path: String) throws(LocationError) {
    let mapped: MappedFile?
    do throws(SystemFailure) {
      let file = try OpenFile(reading: path)
      let status = try file.status()
      let isFile = status.kind == .regular && status.length > 0
      mapped = isFile ? try MappedFile(file, length: status.length) : nil
    } catch {
      throw LocationError(
        .geocoderUnavailable, "The file of places cannot be read: \(error).")
    }
    guard let mapped else {
      throw LocationError(
        .geocoderUnavailable, "The file of places is no regular file, or is empty.")
    }
    unsafe self.init(mapped.bytes, of: mapped)
  }
}
