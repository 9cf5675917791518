internal import AsyncLocation
internal import CGazetteer

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Constant memory with a file of places, unmapped when it is released.
@safe
final class GazetteerMemory: @unchecked Sendable {
  // SAFETY: nothing writes to the memory. Who reads it holds this object.
  @unsafe let bytes: UnsafeRawBufferPointer
  private let isMapped: Bool

  private init(_ bytes: UnsafeRawBufferPointer, isMapped: Bool) {
    unsafe self.bytes = bytes
    self.isMapped = isMapped
  }

  /// The file in the library: a part of the program, whose pages are read on demand and shared.
  static let embedded = unsafe GazetteerMemory(
    UnsafeRawBufferPointer(start: gazetteer_data(), count: gazetteer_size()), isMapped: false)

  /// Maps a file; its pages are read on demand.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/geocoderUnavailable`` when it cannot be
  ///   opened or mapped.
  convenience init(path: String) throws(LocationError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.failure("opened") }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw Self.failure("read") }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
      throw LocationError(
        .geocoderUnavailable, "The file of places is no regular file, or is empty.")
    }
    let size = Int(status.st_size)
    let start = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else {
      throw Self.failure("mapped")
    }
    unsafe self.init(UnsafeRawBufferPointer(start: start, count: size), isMapped: true)
  }

  deinit {
    if isMapped, let start = unsafe bytes.baseAddress {
      unsafe munmap(UnsafeMutableRawPointer(mutating: start), bytes.count)
    }
  }

  private static func failure(_ action: String) -> LocationError {
    let reason = unsafe String(cString: strerror(errno))
    return LocationError(
      .geocoderUnavailable, "The file of places cannot be \(action): \(reason).")
  }
}
