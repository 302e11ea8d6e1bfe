// SPDX-License-Identifier: Apache-2.0
//
// Constant luminance: luma is made of light, and chroma of what is left to samples (ITU-T H.273, equations 47 to 53).

#include <math.h>

#include "rows.h"

static double light_of_code(uint32_t transfer, double code) {
  switch (transfer) {
    case PLANES_SRGB: return code <= 0.04045 ? code / 12.92 : pow((code + 0.055) / 1.055, 2.4);
    case PLANES_LINEAR: return code;
    case PLANES_PQ: {
      const double p = pow(code, 32.0 / 2523);
      const double above = p - 3424.0 / 4096;
      return above <= 0 ? 0 : pow(above / (2413.0 / 128 - 2392.0 / 128 * p), 16384.0 / 2610);
    }
    default:
      return code < 4.5 * 0.018053968510807 ? code / 4.5 : pow((code + 0.09929682680944) / 1.09929682680944, 1 / 0.45);
  }
}

double planes_code_of_light(uint32_t transfer, double light) {
  switch (transfer) {
    case PLANES_SRGB: return light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
    case PLANES_LINEAR: return light;
    case PLANES_PQ: {
      const double p = pow(light, 2610.0 / 16384);
      return pow((3424.0 / 4096 + 2413.0 / 128 * p) / (1 + 2392.0 / 128 * p), 2523.0 / 32);
    }
    default: return light < 0.018053968510807 ? 4.5 * light : 1.09929682680944 * pow(light, 0.45) - 0.09929682680944;
  }
}

static inline double clamped(double value) { return value < 0 ? 0 : value > 1 ? 1 : value; }

void constant_color_row(const planes_conversion *conversion, const uint16_t *luma, const wide_chroma *chroma,
                        size_t width, float top, uint32_t *const colors[3]) {
  const uint32_t transfer = conversion->transfer;
  const double kr = conversion->kr, kb = conversion->kb, kg = 1 - kr - kb;
  const double black = conversion->luma_black, span = conversion->luma_span;
  for (size_t i = 0; i < width; i++) {
    const double y = clamped((luma[i] - black) / span), cb = chroma->cb[i], cr = chroma->cr[i];
    const double blue = clamped(y + cb * conversion->differences[0][cb > 0]);
    const double red = clamped(y + cr * conversion->differences[1][cr > 0]);
    const double light = light_of_code(transfer, y) - kr * light_of_code(transfer, red) -
                         kb * light_of_code(transfer, blue);
    const double green = planes_code_of_light(transfer, clamped(light / kg));
    colors[0][i] = (uint32_t)(red * top + 0.5);
    colors[1][i] = (uint32_t)(green * top + 0.5);
    colors[2][i] = (uint32_t)(blue * top + 0.5);
  }
}
