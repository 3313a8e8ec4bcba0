/* --- determinants --------------------------------------------------------------------------------
 */

/* Of a matrix that is overwritten: rows are eliminated, each by that with the greatest item. */
NN_USUAL double nn_determinant(double *matrix, int extent)
{
    double product = 1;

    for (int k = 0; k < extent; k++) {
        double *top = matrix + k * extent;
        int pivot = k;
        for (int i = k + 1; i < extent; i++)
            if (fabs(matrix[i * extent + k]) > fabs(matrix[pivot * extent + k]))
                pivot = i;
        for (int i = 0; pivot != k && i < extent; i++) {
            double item = top[i];
            top[i] = matrix[pivot * extent + i];
            matrix[pivot * extent + i] = item;
        }
        product *= pivot == k ? top[k] : -top[k];
        if (!(top[k] < 0) && !(top[k] > 0) && top[k] - top[k] == 0)
            return product;
        for (int i = k + 1; i < extent; i++) {
            double *row = matrix + i * extent, factor = row[k] / top[k];
            for (int j = k; j < extent; j++)
                row[j] -= factor * top[j];
        }
    }
    return product;
}
