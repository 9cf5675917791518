#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The content of a file, mapped into memory. Pages are read on demand. The memory is unmapped when
/// the last reference is released.
@safe
package final class MappedFile: @unchecked Sendable {
  // SAFETY: nothing writes to the memory, and every reader retains this object.
  @unsafe package let bytes: UnsafeRawBufferPointer

  /// - Parameter length: The length of the file in bytes, above zero. The file must not become
  ///   shorter while it is mapped: reading the missing pages would terminate the process.
  package init(_ file: OpenFile, length: Int) throws(SystemFailure) {
    let start = unsafe mmap(nil, length, PROT_READ, MAP_PRIVATE, file.descriptor, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else { throw SystemFailure(errno) }
    unsafe bytes = UnsafeRawBufferPointer(start: start, count: length)
  }

  deinit {
    if let start = unsafe bytes.baseAddress {
      unsafe munmap(UnsafeMutableRawPointer(mutating: start), bytes.count)
    }
  }
}
