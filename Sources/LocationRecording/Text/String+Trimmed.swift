import AsyncLocation
import JSONScanning

extension String {
  /// The text without white space at both ends.
  var trimmed: String {
    let range = utf8.span.trimmedRange
    return range.count == utf8.count ? self : String(copying: utf8.span.extracting(range))
  }
}
